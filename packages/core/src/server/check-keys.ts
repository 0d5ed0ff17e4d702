import type { Diagnostics } from '../errors/diagnostics.js'

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
