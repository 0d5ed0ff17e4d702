/** The part of a value that a JSON Pointer (`/items/0/name`) leads to; `undefined` where there is none. */
export function atPointer(value: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1)
  return keys.reduce<unknown>((current, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof current === 'object' && current !== null ? Reflect.get(current, name) : undefined
  }, value)
}

/** The part of a schema that a reference within it leads to (`#/$defs/name`, escaped for a URI); `undefined` for any other. */
export function atReference(root: unknown, reference: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  try {
    return atPointer(root, decodeURIComponent(reference.slice(1)))
  } catch {
    // No URI at all.
    return undefined
  }
}

/** One key of a JSON Pointer. */
export function toPointerKey(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The reference that leads to a JSON Pointer of the same schema, escaped for a URI. */
export function toReference(pointer: string): string {
  return `#${encodeURI(pointer).replaceAll('#', '%23')}`
}
