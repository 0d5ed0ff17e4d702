import { createHash } from 'node:crypto'
import type { Place } from './parameters.js'

export interface Part {
  /** The name in the document: `page[size]`. */
  readonly name: string
  readonly place: Place | 'body'
}

const maxLength = 64

/** Vendors of models accept only these names. */
const accepted = /^[A-Za-z0-9_.-]{1,64}$/

/**
 * Gives each part of a request a name that is unique among the arguments. A name stays as it is unless vendors reject it.
 * Parts with equal names get their place: `id_path`, `id_body`. Names depend only on the parts of this operation.
 */
export function nameArguments(parts: readonly Part[]): string[] {
  const wanted = parts.map(({ name }) => acceptedName(name, maxLength))
  const names = wanted.map((name, index) => {
    const others = parts.filter((part, other) => other !== index && wanted[other] === name)
    if (others.length === 0) return name
    const { place, name: original } = parts[index] as Part
    // `page[size]` and `page_size` are both in the query: the second keeps its name.
    const isOnly = others.every((part) => part.place === place)
    if (isOnly) return original === name ? name : withHash(name, original)
    return withPlace(name, place)
  })
  return names.map((name, index) => {
    if (names.indexOf(name) === index) return name
    const { place, name: original } = parts[index] as Part
    return withHash(name, `${place} ${original}`)
  })
}

export function acceptedName(name: string, limit: number): string {
  if (accepted.test(name) && name.length <= limit && name !== '__proto__') return name
  const replaced = name.replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^_+|_+$/g, '')
  if (replaced === '') return `value_${hashOf(name)}`
  return replaced.length <= limit ? replaced : withHash(replaced, name, limit)
}

function withPlace(name: string, place: string): string {
  const suffix = `_${place}`
  return name.length + suffix.length <= maxLength ? name + suffix : withHash(name, place)
}

/** Ends the name with a hash of `identity`, which does not depend on other names. */
export function withHash(name: string, identity: string, limit = maxLength): string {
  const suffix = `_${hashOf(identity)}`
  return name.slice(0, limit - suffix.length).replace(/[_.-]+$/, '') + suffix
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
