import { type Logger, pino } from 'pino'
import { checkServer } from '../catalog/define/check-description.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import { checkNames, type NameAdvice } from '../options/check-names.js'
import { isObject } from '../options/kinds.js'
import { readOptions } from '../options/option.js'
import { appsExtension } from '../protocol/extensions/apps/apps-extension.js'
import { createListFormatsExtension } from '../protocol/extensions/list-formats/list-formats-extension.js'
import { createSkillsExtension } from '../protocol/extensions/skills/skills-extension.js'
import { createTasksExtension } from '../protocol/extensions/tasks/tasks-extension.js'
import { OfferedRevisions } from '../protocol/revisions.js'
import { logOutput } from '../util/log-output.js'
import { optionsElsewhere, type ServerOptions, serverOptions } from './options.js'
import { resolveStores } from './resolve-stores.js'

/** Settings that a host adds to the options of the server. */
export interface HostDefaults extends NameAdvice {
  /** Names of options that the host reads. */
  readonly optionNames: readonly string[]
  /** Destination of the log if the option `logger` is absent. */
  readonly log?: Logger
}

/** Server options with all defaults. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>

/** Checks the options, and fills in the defaults. */
export function resolveOptions(options: ServerOptions, host: HostDefaults, diagnostics: Diagnostics) {
  const known = [...Object.keys(serverOptions), ...host.optionNames]
  requireOptionsObject(options, diagnostics)
  checkNames(options, known, diagnostics, { elsewhere: { ...optionsElsewhere, ...host.elsewhere } })
  checkServer(options, diagnostics)
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
    tasks,
    revisions,
    ...read
  } = readOptions(serverOptions, options, '', diagnostics)
  if (namesNothingToServe(options) && read.onReady === undefined) {
    diagnostics.add(
      'bad-option',
      "Nothing to serve: give `scan: new URL('./tools/', import.meta.url)` or `controllers: [MyTools]`.",
    )
  }
  const log = logger ?? host.log ?? logToStderr(name)
  const stores = resolveStores({ ...read, tasks, requestState }, read.limits, log)
  return Object.freeze({
    ...read,
    ...read.compat,
    ...stores,
    extensions: [
      createTasksExtension(stores.tasks),
      appsExtension,
      createSkillsExtension(foldersOf(read.skills)),
      createListFormatsExtension(read.listFormats),
      ...read.extensions,
    ],
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
export function namesNothingToServe({ scan, controllers, skills, sources }: ServerOptions): boolean {
  return [scan, controllers, skills, sources].every((given) => given === undefined)
}

function foldersOf(given: ServerOptions['scan']): readonly (URL | string)[] {
  return given === undefined ? [] : ([given].flat() as readonly (URL | string)[])
}

export function logToStderr(name: string): Logger {
  return pino({ name }, logOutput(process.stderr.fd || 2))
}
