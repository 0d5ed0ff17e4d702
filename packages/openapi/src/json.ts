/** A JSON object of a document. */
export type Json = Readonly<Record<string, unknown>>

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a member that is an object, or an empty object. */
export function objectAt(owner: Json, name: string): Json {
  const value = ownMember(owner, name)
  return isJson(value) ? value : {}
}

export function listAt(owner: Json, name: string): readonly unknown[] {
  const value = ownMember(owner, name)
  return Array.isArray(value) ? value : []
}

export function textAt(owner: Json, name: string): string | undefined {
  const value = ownMember(owner, name)
  return typeof value === 'string' ? value : undefined
}

/** Reads a member without the members of `Object.prototype`: names of documents and of callers can be `constructor`. */
export function ownMember(owner: Json, name: string): unknown {
  return Object.hasOwn(owner, name) ? owner[name] : undefined
}

/** Creates an object whose members can have any name, even `__proto__`. */
export function toObject(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(entries)
}
