import type { Logger } from 'pino'
import type { Catalog } from '../../catalog/catalog.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import type { Limits } from '../../limits/limits.js'
import { isObject } from '../../options/kinds.js'
import type { MaybePromise } from '../../timing/maybe-promise.js'
import type { McpServer } from '../mcp-server.js'
import type { SourceReport } from './source-report.js'

/** Parts of the server that a source can use while the server boots. */
export interface SourceServer {
  readonly catalog: Catalog
  readonly limits: Limits
  readonly log: Logger
  readonly report: SourceReport
}

/** Adds features that come from elsewhere: from an API, from another server, from files. */
export interface FeatureSource {
  /** Name for messages, the log and reports. Each source of a server needs a different name. */
  readonly name: string
  /**
   * Adds features to the catalog at boot, after the server has read the feature classes. The server awaits the result, one source
   * after the other. An error is reported together with all other problems of boot. The source can keep `catalog` and `report`,
   * and change the features later.
   */
  readonly prepare: (server: SourceServer) => MaybePromise<void>
  /** Called and awaited after `onReady`, before the server accepts requests. An error prevents the server from starting. */
  readonly ready?: (server: McpServer) => MaybePromise<void>
  /**
   * Called and awaited when the server closes, after the last call and before the option `onClose`, or when boot fails after
   * `prepare` was called.
   */
  readonly close?: () => MaybePromise<void>
}

export function checkSources(sources: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!Array.isArray(sources)) {
    diagnostics.addBadOption(option, sources, 'Give an array of sources.')
    return false
  }
  const before = diagnostics.count
  const names = new Set<string>()
  for (const [index, source] of (sources as unknown[]).entries()) {
    checkSource(source, `${option}[${index}]`, names, diagnostics)
  }
  return diagnostics.count === before
}

function checkSource(source: unknown, option: string, names: Set<string>, diagnostics: Diagnostics): void {
  if (!isObject(source)) {
    diagnostics.addBadOption(option, source, 'Give an object with a name and a function prepare.')
    return
  }
  const { name, prepare, ready, close } = source as Partial<FeatureSource>
  if (typeof name !== 'string' || name.trim() === '') {
    diagnostics.addBadOption(`${option}.name`, name, 'Give a string that is not empty.')
  } else if (names.has(name)) {
    diagnostics.add(
      'bad-option',
      `${option}: another source has the name '${name}'. Give each source a different name.`,
    )
  } else names.add(name)
  for (const [member, value] of Object.entries({ prepare, ready, close })) {
    if (typeof value === 'function' || (value === undefined && member !== 'prepare')) continue
    diagnostics.addBadOption(`${option}.${member}`, value, 'Give a function.')
  }
}
