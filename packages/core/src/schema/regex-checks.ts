import { type IsFormat, ifNotTooLong } from './format-checks.js'
import { spend } from './format-effort.js'

/** Checks the format `regex`. V8 compiles each expression, and takes as long again to describe an error. */
export function checkOfAjvRegex(check: IsFormat): IsFormat {
  return ifNotTooLong((text) => {
    spend(5 + text.length / 10)
    return check(text)
  })
}

/** TypeBox compiles expressions with the flag `u`. */
export function checkOfRegex(check: IsFormat): IsFormat {
  return checkOfAjvRegex((text) => {
    const plain = withoutProperties(text)
    return plain !== null && check(plain)
  })
}

const escapes = /\\(?:[pP]\{([^{}]*)\}|[^])/g

/**
 * Replaces property escapes, such as `\p{Letter}`, by `\d`, which is valid in the same places: V8 takes a tenth of a
 * millisecond to look up each. `null` if a property does not exist.
 */
function withoutProperties(pattern: string): string | null {
  let hasUnknown = false
  const plain = pattern.replace(escapes, (escape, property?: string) => {
    if (property === undefined || hasUnknown) return escape
    hasUnknown = !isProperty(property)
    return '\\d'
  })
  return hasUnknown ? null : plain
}

/** Cache of valid properties. Unicode has about a hundred. */
const knownProperties = new Set<string>()

function isProperty(name: string): boolean {
  if (knownProperties.has(name)) return true
  spend(100)
  try {
    new RegExp(`\\p{${name}}`, 'u').test('')
  } catch {
    return false
  }
  knownProperties.add(name)
  return true
}
