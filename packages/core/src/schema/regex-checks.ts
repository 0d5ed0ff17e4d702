import { type IsFormat, ifNotTooLong } from './format-checks.js'
import { spend } from './format-effort.js'

/** V8 compiles each expression, and takes as long again to say what is wrong with one. */
export function checkOfAjvRegex(check: IsFormat): IsFormat {
  return ifNotTooLong((text) => {
    spend(5 + text.length / 10)
    return check(text)
  })
}

/** TypeBox has them compiled with the flag `u`. */
export function checkOfRegex(check: IsFormat): IsFormat {
  return checkOfAjvRegex((text) => {
    const plain = withoutProperties(text)
    return plain !== null && check(plain)
  })
}

const escapes = /\\(?:[pP]\{([^{}]*)\}|[^])/g

/**
 * An expression that is valid when the given one is: V8 takes a tenth of a millisecond to look up each `\p{Letter}`, which
 * stands for characters as `\d` does. `null` when it has a property that does not exist.
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

/** Unicode has some hundred. */
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
