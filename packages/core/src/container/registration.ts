import type { InjectionToken, Lifecycle } from './tsyringe.js'

export interface Registration {
  readonly provider: {
    readonly useValue?: unknown
    readonly useClass?: unknown
    readonly useToken?: InjectionToken
    readonly useFactory?: unknown
  }
  readonly options: { readonly lifecycle: Lifecycle }
}

/** A provider of `null` or `undefined`, which tsyringe mistakes for a class. */
interface EmptyValue {
  readonly useValue: null | undefined
}

export function emptyValueOf({ provider: { useClass } }: Registration): EmptyValue | null {
  return typeof useClass === 'object' && useClass !== null && 'useValue' in useClass ? (useClass as EmptyValue) : null
}

export function describeToken(token: InjectionToken): string {
  if (typeof token === 'function') return token.name
  if (typeof token === 'symbol') return token.toString()
  return typeof token === 'string' ? `'${token}'` : 'delay(…)'
}
