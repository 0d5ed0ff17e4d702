import type { InjectionToken } from './tsyringe.js'

/** A token as messages name it: a class by its name, a string in quotes. */
export function describeToken(token: InjectionToken): string {
  if (typeof token === 'function') return token.name
  if (typeof token === 'symbol') return token.toString()
  return typeof token === 'string' ? `'${token}'` : 'delay(…)'
}
