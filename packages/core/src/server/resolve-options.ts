import { hkdfSync, randomBytes } from 'node:crypto'
import { type Logger, pino } from 'pino'
import { type AuthorizationResolverOptions, noRules } from '../catalog/authorization/authorization-resolver.js'
import { checkServer } from '../catalog/define/check-description.js'
import {
  checkNames,
  isObject,
  type NameAdvice,
  requireBoolean,
  requireFunction,
  requireMethods,
  requireNumber,
  requireObject,
} from '../check-options.js'
import { describeValue } from '../errors/describe-value.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import { type ToolListFormat, toolListFormats } from '../formats/tool-list-formats.js'
import { checkRateLimit } from '../limits/check-rate-limit.js'
import { resolveLimits } from '../limits/limits.js'
import type { CacheHints, ServerIdentity } from '../protocol/dependencies.js'
import { checkExtensions } from '../protocol/extensions/extension.js'
import type { RequestStateOptions } from '../protocol/modern/request-state.js'
import { isListOfTexts } from '../rpc/messages.js'
import { longestTimer } from '../timing/long-timer.js'
import { logOutput } from '../util/log-output.js'
import { type AuthorizationOptions, optionNames, optionsElsewhere, type ServerOptions } from './options.js'
import { resolveStores } from './resolve-stores.js'

/** What a host knows besides the options of the server. */
export interface HostDefaults extends NameAdvice {
  /** Names of options that the host reads. */
  readonly optionNames: readonly string[]
  /** Where to log, if no option says so. */
  readonly log?: Logger
}

/** Options with every default filled in. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>

/** Checks what is given, and fills in the rest. */
export function resolveOptions(options: ServerOptions, host: HostDefaults, diagnostics: Diagnostics) {
  const known = [...Object.keys(optionNames.server), ...host.optionNames]
  requireOptionsObject(options, diagnostics)
  checkNames(options, known, diagnostics, { elsewhere: { ...optionsElsewhere, ...host.elsewhere } })
  const identity = resolveIdentity(options, diagnostics)
  const limits = resolveLimits('limits', options.limits, diagnostics)
  checkRateLimit('rateLimit', options.rateLimit, diagnostics)
  const pageSize = options.pageSize ?? 100
  requireNumber('pageSize', pageSize, 1, Infinity, diagnostics)
  const served = resolveServed(options, diagnostics)
  const tasks = requireOptions('tasks', options.tasks, diagnostics)
  const log = resolveLogger(options.logger, diagnostics) ?? host.log ?? logToStderr(identity.name)
  return Object.freeze({
    identity,
    instructions: options.instructions,
    ...served,
    log,
    limits,
    rateLimit: options.rateLimit ?? null,
    ...resolveStores({ ...options, tasks }, limits, log, diagnostics),
    pageSize,
    listFormats: resolveListFormats(options.listFormats, diagnostics),
    extensions: checkExtensions(options.extensions ?? [], diagnostics),
    cache: resolveCache(options.cache, diagnostics),
    requestState: resolveRequestState(options.requestState, diagnostics),
    authorization: resolveAuthorization(options.authorization, diagnostics),
    ...resolveSwitches(options, diagnostics),
  })
}

/** @throws BootError at once: there is nothing else to check. */
export function requireOptionsObject(options: unknown, diagnostics: Diagnostics): void {
  // With members of numbers it was a list or a text, which a host has copied into an object of its own.
  if (isObject(options) && !Object.hasOwn(options, '0')) return
  diagnostics.add('bad-option', 'The options are not an object. Give one: { name, version, controllers: [MyTools] }.')
  diagnostics.throwIfAny()
}

/** Whether only `onReady` is left to add features. */
export function namesNothingToServe({ scan, controllers, skills }: ServerOptions): boolean {
  return scan === undefined && controllers === undefined && skills === undefined
}

/** The object that an option holds, whose own names are checked too. */
function requireOptions<Value extends object>(
  option: Exclude<keyof typeof optionNames, 'server'>,
  value: Value | undefined,
  diagnostics: Diagnostics,
): Partial<Value> {
  const given = requireObject(option, value, diagnostics)
  checkNames(given, Object.keys(optionNames[option]), diagnostics, { prefix: `${option}.` })
  return given
}

function resolveIdentity(options: ServerOptions, diagnostics: Diagnostics): ServerIdentity {
  const { name, version, title, description, websiteUrl, icons } = options
  requireText('name', name, diagnostics)
  requireText('version', version, diagnostics)
  checkServer(options, diagnostics)
  return Object.freeze({ name, version, title, description, websiteUrl, icons })
}

function requireText(option: string, value: unknown, diagnostics: Diagnostics): void {
  if (typeof value === 'string' && value !== '') return
  diagnostics.addBadOption(option, value, `Give the server a ${option}: clients show it.`)
}

/** What is served, and where instances come from. */
function resolveServed(options: ServerOptions, diagnostics: Diagnostics) {
  const { scan, skills, container } = options
  const hooks = requireArray('hooks', options.hooks, 'classes or objects', diagnostics)
  requireFunction('onReady', options.onReady, ' that takes the server', diagnostics)
  requireFunction('onClose', options.onClose, '', diagnostics)
  const controllers = requireArray('controllers', options.controllers, 'classes', diagnostics)
  if (namesNothingToServe(options) && typeof options.onReady !== 'function') {
    diagnostics.add(
      'bad-option',
      "Nothing to serve: give `scan: new URL('./tools/', import.meta.url)` or `controllers: [MyTools]`.",
    )
  }
  return {
    scan: foldersOf(scan),
    skills: foldersOf(skills),
    controllers,
    container: requireMethods('container', container, containerMethods, diagnostics),
    hooks,
    onClose: options.onClose,
  }
}

/** The array, or an empty one where none was given. */
function requireArray<Entry>(
  option: string,
  value: readonly Entry[] = [],
  entries: string,
  diagnostics: Diagnostics,
): readonly Entry[] {
  if (Array.isArray(value)) return value
  diagnostics.addBadOption(option, value, `Give an array of ${entries}.`)
  return []
}

/** Of tsyringe's, those that are called. */
const containerMethods = ['createChildContainer', 'isRegistered', 'register', 'registerInstance', 'resolve']

function foldersOf(given: ServerOptions['scan']): readonly (URL | string)[] {
  return given === undefined ? [] : ([given].flat() as readonly (URL | string)[])
}

/** Where the log goes by default. */
export function logToStderr(name: string): Logger {
  return pino({ name }, logOutput(process.stderr.fd || 2))
}

/** What Fastify wants of a logger: one that has less would fail with the first call that does. */
const loggerMethods = ['child', 'debug', 'error', 'fatal', 'info', 'trace', 'warn']

function resolveLogger(logger: Logger | undefined, diagnostics: Diagnostics): Logger | undefined {
  return requireMethods('logger', logger, loggerMethods, diagnostics)
}

function resolveListFormats(
  given: ServerOptions['listFormats'],
  diagnostics: Diagnostics,
): Readonly<Record<string, ToolListFormat>> {
  const formats = requireObject('listFormats', given ?? toolListFormats, diagnostics)
  const checked: Record<string, ToolListFormat> = {}
  for (const [name, format] of Object.entries(formats)) {
    if (/^[\w.-]+$/.test(name) && typeof format === 'function') checked[name] = format
    else {
      diagnostics.add(
        'bad-option',
        `listFormats has '${name}': ${describeValue(format)}. Give a function that takes the tools, under a name of ` +
          'letters, digits and "_.-".',
      )
    }
  }
  return checked
}

function resolveCache(given: ServerOptions['cache'], diagnostics: Diagnostics): CacheHints {
  const { ttlMs = 0, cacheScope = 'private' } = requireOptions('cache', given, diagnostics)
  requireNumber('cache.ttlMs', ttlMs, 0, Number.MAX_SAFE_INTEGER, diagnostics)
  if (cacheScope !== 'private' && cacheScope !== 'public') {
    diagnostics.addBadOption('cache.cacheScope', cacheScope, "Give 'private' or 'public'.")
  }
  return { ttlMs, cacheScope }
}

/** What is on or off. */
function resolveSwitches(options: ServerOptions, diagnostics: Diagnostics) {
  const { exposeErrors = false, notifyChanges = true } = options
  const { alwaysStructuredContent = false, alwaysNextCursor = false } = requireOptions(
    'compat',
    options.compat,
    diagnostics,
  )
  requireBoolean('exposeErrors', exposeErrors, diagnostics)
  requireBoolean('notifyChanges', notifyChanges, diagnostics)
  requireBoolean('compat.alwaysStructuredContent', alwaysStructuredContent, diagnostics)
  requireBoolean('compat.alwaysNextCursor', alwaysNextCursor, diagnostics)
  return { exposeErrors, notifyChanges, alwaysStructuredContent, alwaysNextCursor }
}

function resolveAuthorization(
  given: AuthorizationOptions | undefined,
  diagnostics: Diagnostics,
): AuthorizationResolverOptions | undefined {
  if (given === undefined) return undefined
  const options = requireOptions('authorization', given, diagnostics)
  const { default: access = 'authenticated', hideForbidden = false } = options
  const { allowAnonymousDestructive = [], policyTimeoutMs = noRules.policyTimeoutMs } = options
  if (access !== 'authenticated' && access !== 'anonymous') {
    diagnostics.addBadOption('authorization.default', access, "Give 'authenticated' or 'anonymous'.")
  }
  requireBoolean('authorization.hideForbidden', hideForbidden, diagnostics)
  const impliedScopes = resolveImpliedScopes(options.impliedScopes, diagnostics)
  if (!isListOfTexts(allowAnonymousDestructive)) {
    const fix = 'Give an array of names of tools.'
    diagnostics.addBadOption('authorization.allowAnonymousDestructive', allowAnonymousDestructive, fix)
  }
  requireNumber('authorization.policyTimeoutMs', policyTimeoutMs, 1, longestTimer, diagnostics)
  return { isInUse: true, default: access, hideForbidden, impliedScopes, allowAnonymousDestructive, policyTimeoutMs }
}

function resolveImpliedScopes(given: AuthorizationOptions['impliedScopes'], diagnostics: Diagnostics) {
  const impliedScopes = requireObject('authorization.impliedScopes', given, diagnostics)
  for (const [scope, implied] of Object.entries(impliedScopes)) {
    if (isListOfTexts(implied)) continue
    diagnostics.addBadOption(`authorization.impliedScopes['${scope}']`, implied, 'Give an array of scopes.')
  }
  return impliedScopes as NonNullable<typeof given>
}

const leastKeyBytes = 32

function resolveRequestState(given: ServerOptions['requestState'], diagnostics: Diagnostics): RequestStateOptions {
  const options = requireOptions('requestState', given, diagnostics)
  const { keys = [randomBytes(leastKeyBytes)], ttlMs = 10 * 60_000 } = options
  requireNumber('requestState.ttlMs', ttlMs, 1, Infinity, diagnostics)
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isLongEnough)) {
    diagnostics.add(
      'bad-option',
      `requestState.keys needs at least one key, and each at least ${leastKeyBytes} bytes: ` +
        '`openssl rand -base64 32` makes one. Leave it out for a random key.',
    )
  }
  const usable = Array.isArray(keys) ? keys.filter(isLongEnough).map(deriveKey) : []
  // What expires is written down as JSON, which has no `Infinity`.
  return { keys: usable, ttlMs: Math.min(ttlMs, Number.MAX_SAFE_INTEGER) }
}

function isLongEnough(key: unknown): key is Uint8Array | string {
  return (typeof key === 'string' || key instanceof Uint8Array) && Buffer.byteLength(key) >= leastKeyBytes
}

/** A key of the cipher's length that serves this purpose only, whatever else the secret is used for. */
function deriveKey(secret: Uint8Array | string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'toolwright request state', 32))
}
