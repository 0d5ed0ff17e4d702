import { type Logger, pino } from 'pino'
import { checkServer } from '../catalog/define/check-description.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import type { Metric } from '../metrics/metric.js'
import { checkNames, type NameAdvice } from '../options/check-names.js'
import { isObject } from '../options/kinds.js'
import { readOptions } from '../options/option.js'
import { OfferedRevisions } from '../protocol/revisions.js'
import { optionsElsewhere, type ServerOptions, serverOptions } from './options.js'
import { noReports, type ServerReports } from './reports.js'
import { resolveStores } from './resolve-stores.js'
import type { ServerPart } from './server-part.js'

export interface HostDefaults extends NameAdvice {
  readonly optionNames: readonly string[]
  readonly parts?: readonly ServerPart[]
  readonly reports?: ServerReports
  readonly log?: Logger
  /** Creates the log if neither the options nor the host have one. Default: pino, to stderr. */
  readonly createLog?: (name: string) => Logger
}

export type ResolvedOptions = ReturnType<typeof resolveOptions>

export function resolveOptions(options: ServerOptions, host: HostDefaults, diagnostics: Diagnostics) {
  const { parts = [] } = host
  const rows = Object.assign({}, serverOptions, ...parts.map((part) => part.options)) as typeof serverOptions
  const known = [...Object.keys(rows), ...host.optionNames]
  requireOptionsObject(options, diagnostics)
  const missing = Object.entries(optionsElsewhere).filter(([name]) => !Object.hasOwn(rows, name))
  checkNames(options, known, diagnostics, { elsewhere: { ...Object.fromEntries(missing), ...host.elsewhere } })
  checkServer(options, diagnostics)
  const all = readOptions(rows, options, '', diagnostics)
  const {
    name,
    version,
    title,
    description,
    websiteUrl,
    icons,
    logger,
    authorization,
    requestState,
    revisions,
    ...read
  } = all
  if (namesNothingToServe(options, host) && read.onReady === undefined) {
    diagnostics.add(
      'bad-option',
      "Nothing to serve: give `scan: new URL('./tools/', import.meta.url)` or `controllers: [MyTools]`.",
    )
  }
  const log = logger ?? host.log ?? (host.createLog ?? logToStderr)(name)
  const stores = resolveStores({ ...read, requestState }, read.limits, log)
  const builtIn = parts.map((part) => part.create(all, stores.services))
  for (const { id } of builtIn.filter((one) => read.extensions.some((other) => other.id === one.id))) {
    diagnostics.add('bad-option', `extension '${id}' is built in. Give another id.`)
  }
  return Object.freeze({
    ...read,
    ...read.compat,
    ...stores,
    reports: host.reports ?? noReports,
    extensions: [...builtIn, ...read.extensions],
    createSessions: builtIn.find((part) => part.createSessions !== undefined)?.createSessions,
    partMetrics: Object.assign({}, ...builtIn.map((part) => part.metrics)) as Readonly<Record<string, Metric>>,
    identity: Object.freeze({ name, version, title, description, websiteUrl, icons }),
    log,
    revisions: new OfferedRevisions(revisions),
    scan: foldersOf(read.scan),
    authorization: authorization && { isInUse: true, ...authorization },
    hidesForbidden: authorization?.hideForbidden ?? false,
    requestState: {
      secrets: requestState.keys,
      // Times are stored as JSON, which cannot express `Infinity`.
      ttlMs: Math.min(requestState.ttlMs, Number.MAX_SAFE_INTEGER),
    },
  })
}

/** @throws BootError immediately, because there is nothing else to check. */
export function requireOptionsObject(options: unknown, diagnostics: Diagnostics): void {
  // A member '0' means that a host has spread an array or a string into an object.
  if (isObject(options) && !Object.hasOwn(options, '0')) return
  diagnostics.add('bad-option', 'The options are not an object. Give one: { name, version, controllers: [MyTools] }.')
  diagnostics.throwIfAny()
}

/** Whether only `onReady` can add features. */
export function namesNothingToServe(options: ServerOptions, { parts = [] }: HostDefaults): boolean {
  const names = ['scan', 'controllers', 'sources', ...parts.flatMap(({ addingFeatures = [] }) => addingFeatures)]
  return names.every((name) => options[name as keyof ServerOptions] === undefined)
}

export function foldersOf(given: ServerOptions['scan']): readonly (URL | string)[] {
  return given === undefined ? [] : ([given].flat() as readonly (URL | string)[])
}

function logToStderr(name: string): Logger {
  return pino({ name }, process.stderr)
}
