export interface WireNameOptions {
  /** Name given in the decorator. Default: the method's name in snake_case. */
  readonly name?: string | undefined
  /** Prefix of the controller. Default: none. */
  readonly prefix?: string | undefined
}

/**
 * Returns the name under which clients see a method. Client packages also call this function, so this file must not import server
 * code.
 */
export function wireNameOf(method: string, { name, prefix = '' }: WireNameOptions = {}): string {
  return prefix + (name ?? toSnakeCase(method))
}

/** `addNumbers` becomes `add_numbers`, `HTTPRequest` becomes `http_request`. */
export function toSnakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
}
