import { describeValue } from '../errors/describe-value.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import { isObject } from '../options/kinds.js'

/** Checks the formats that are served as `tools/list/NAME`. */
export function checkListFormats(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!isObject(given)) {
    diagnostics.addBadOption(option, given, 'Give an object.')
    return false
  }
  const wrong = Object.entries(given).filter(
    ([name, format]) => !/^[\w.-]+$/.test(name) || typeof format !== 'function',
  )
  for (const [name, format] of wrong) {
    diagnostics.add(
      'bad-option',
      `${option} has '${name}': ${describeValue(format)}. Give a function that takes the tools, under a name of ` +
        'letters, digits and "_.-".',
    )
  }
  return wrong.length === 0
}

const leastKeyBytes = 32

/** Checks the secrets that encrypt request states. */
export function checkKeys(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (Array.isArray(given) && given.length > 0 && given.every(isLongEnough)) return true
  diagnostics.add(
    'bad-option',
    `${option} needs at least one key, and each at least ${leastKeyBytes} bytes: ` +
      '`openssl rand -base64 32` makes one. Leave it out for a random key.',
  )
  return false
}

function isLongEnough(key: unknown): boolean {
  return (typeof key === 'string' || key instanceof Uint8Array) && Buffer.byteLength(key) >= leastKeyBytes
}
