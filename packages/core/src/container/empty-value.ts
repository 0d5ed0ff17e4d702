import type { Registration } from './registration.js'

/** A provider of `null` or `undefined`, which tsyringe mistakes for a class. */
interface EmptyValue {
  readonly useValue: null | undefined
}

/** Finds the provider that was registered with `{ useValue: null }` or `undefined`. */
export function emptyValueOf({ provider: { useClass } }: Registration): EmptyValue | null {
  return typeof useClass === 'object' && useClass !== null && 'useValue' in useClass ? (useClass as EmptyValue) : null
}
