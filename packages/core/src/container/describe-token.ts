import type { InjectionToken } from './tsyringe.js'

/** Describes a token for messages: the name of a class, a string in quotes. */
export function describeToken(token: InjectionToken): string {
  if (typeof token === 'function') return token.name
  if (typeof token === 'symbol') return token.toString()
  return typeof token === 'string' ? `'${token}'` : 'delay(…)'
}
