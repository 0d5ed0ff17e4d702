/** Maximum length of a name. Spec: server/tools, "Tool Names". */
export const maxNameLength = 128

/** Vendors of models reject all tools of a list if one name is longer. */
export const vendorNameLength = 64

const invalid = /[^A-Za-z0-9_.-]/g

/** Returns the name of a feature on this server: the prefix, and the name with `_` for characters that are not allowed. */
export function frontName(prefix: string, name: string): string {
  return `${prefix}${name.replace(invalid, '_')}`
}
