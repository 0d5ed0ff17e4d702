/** Maximum length of a name. Spec: server/tools, "Tool Names". */
export const maxNameLength = 128

/** Vendors of models reject all tools of a list if one name is longer. */
export const vendorNameLength = 64

const invalid = /[^A-Za-z0-9_.-]/g

export function frontName(prefix: string, name: string): string {
  return `${prefix}${name.replace(invalid, '_')}`
}
