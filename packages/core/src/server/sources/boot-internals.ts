import type { ImportModule } from '../../catalog/scan/module-loader.js'
import type { Changes } from '../../context/changes.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import type { SourceServer } from './feature-source.js'

/** Parts of a booting server that are not public. Sources of this package use them. */
export interface BootInternals {
  readonly changes: Changes
  readonly diagnostics: Diagnostics
  readonly beingEvaluated: ReadonlySet<string>
  readonly importModule: ImportModule | undefined
}

const internals = new WeakMap<SourceServer, BootInternals>()

export function attachInternals(server: SourceServer, own: BootInternals): SourceServer {
  internals.set(server, own)
  return server
}

/** @throws Error if the server was not booted by this copy of the package. */
export function internalsOf(server: SourceServer): BootInternals {
  const own = internals.get(server)
  if (own !== undefined) return own
  const advice = "Put it into the option `sources`, and install one copy of '@toolwright/core'."
  throw new Error(`it was prepared by another source, or by another copy of this package. ${advice}`)
}
