/** Spec: server/tools, "Tool Names". */
const validName = /^[A-Za-z0-9_.-]{1,128}$/

export function isToolName(name: unknown): boolean {
  return typeof name === 'string' && validName.test(name)
}

/** `addNumbers` becomes `add_numbers`, `HTTPRequest` becomes `http_request`. */
export function toSnakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
}
