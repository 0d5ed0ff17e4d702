import { isJsonObject, type JsonObject } from '@toolwright/core'

export function objectAt(owner: JsonObject, name: string): JsonObject {
  const value = ownMember(owner, name)
  return isJsonObject(value) ? value : {}
}

export function listAt(owner: JsonObject, name: string): readonly unknown[] {
  const value = ownMember(owner, name)
  return Array.isArray(value) ? value : []
}

export function textAt(owner: JsonObject, name: string): string | undefined {
  const value = ownMember(owner, name)
  return typeof value === 'string' ? value : undefined
}

/** Reads a member without the members of `Object.prototype`: names of documents and of callers can be `constructor`. */
export function ownMember(owner: JsonObject, name: string): unknown {
  return Object.hasOwn(owner, name) ? owner[name] : undefined
}

/** Creates an object whose members can have any name, even `__proto__`. */
export function toObject(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(entries)
}
