/** Returns the part of a value at a JSON Pointer (`/items/0/name`); `undefined` if there is no such part. */
export function atPointer(value: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1)
  return keys.reduce<unknown>((current, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof current === 'object' && current !== null ? Reflect.get(current, name) : undefined
  }, value)
}

/**
 * Returns the part of a schema at a local reference (`#/$defs/name`, URI-escaped); `undefined` for other references.
 */
export function atReference(root: unknown, reference: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  try {
    return atPointer(root, decodeURIComponent(reference.slice(1)))
  } catch {
    // The percent-encoding is invalid.
    return undefined
  }
}

export function toPointerKey(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

export function toReference(pointer: string): string {
  return `#${encodeURI(pointer).replaceAll('#', '%23')}`
}
