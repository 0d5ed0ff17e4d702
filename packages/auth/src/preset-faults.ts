import type { BootDiagnostic } from '@toolwright/core'
import type { JwtBearerOptions } from './options.js'

/** The mistakes in the options of a preset. A symbol, so that `{ ...auth0({ … }), cache: … }` keeps them. */
const faults = Symbol.for('toolwright.auth.preset-faults')

/** Creates options that only report mistakes: the server does not start with them. */
export function withFaults(found: readonly BootDiagnostic[]): JwtBearerOptions {
  // Valid values, so that each mistake is reported once.
  const anything = { issuer: 'https://invalid', audience: 'https://invalid' }
  return { ...anything, [faults]: found } as JwtBearerOptions
}

export function faultsOf(options: JwtBearerOptions): readonly BootDiagnostic[] {
  return (options as { readonly [faults]?: readonly BootDiagnostic[] })[faults] ?? []
}
