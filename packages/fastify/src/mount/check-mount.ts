import type { Authenticator } from '@toolwright/core'
import {
  addReportedDiagnostics,
  checkNames,
  type Diagnostics,
  describeValue,
  longestTimer,
  type NamesOf,
  nearestName,
  requireBoolean,
  requireFunction,
  requireNumber,
  requireObject,
} from '@toolwright/core/internal'
import type { CorsOptions, MountOptions, Waiver } from '../options.js'
import { checkLastPart, isPath } from './check-paths.js'

/** A list that the compiler holds to be complete. */
const waivers: Readonly<Record<Waiver, true>> = { 'open-bind': true }

/** What is on or off. */
const switches = ['allowAnonymous', 'sessions', 'streamAnswers', 'legacySse'] as const

/** What is wrong with the options of an endpoint whatever it serves. */
export function checkMountOptions(options: MountOptions, diagnostics: Diagnostics): void {
  const { path = '/mcp', retryMs = 0, keepAliveMs = 1, drainTimeoutMs = 0 } = options
  if (isPath(path)) checkLastPart('path', path, diagnostics)
  else {
    diagnostics.addBadOption('path', path, "Give a path that begins with / and has no query, such as '/mcp'.")
  }
  checkNamesOf('allowedHosts', options.allowedHosts, diagnostics)
  checkNamesOf('allowedOrigins', options.allowedOrigins, diagnostics)
  checkAuthentication(options.authentication, diagnostics)
  requireNumber('retryMs', retryMs, 0, Number.MAX_SAFE_INTEGER, diagnostics)
  requireNumber('keepAliveMs', keepAliveMs, 1, longestTimer, diagnostics)
  requireNumber('drainTimeoutMs', drainTimeoutMs, 0, Infinity, diagnostics)
  checkCors(options, diagnostics)
  checkWaivers(options.waive, diagnostics)
  for (const option of ['webSocket', 'rpc'] as const) checkEndpoint(option, options[option], diagnostics)
  for (const option of switches) requireBoolean(option, options[option], diagnostics)
  requireFunction('onDrainTimeout', options.onDrainTimeout, '', diagnostics)
}

/** One that is on or off, or on at a path. */
function checkEndpoint(option: 'webSocket' | 'rpc', value: MountOptions['rpc'], diagnostics: Diagnostics): void {
  if (value === undefined || typeof value === 'boolean') return
  const path: unknown = (value as { readonly path?: unknown } | null)?.path
  if (isPath(path)) {
    checkNames(value, ['path'], diagnostics, { prefix: `${option}.` })
    checkLastPart(`${option}.path`, path, diagnostics)
    return
  }
  diagnostics.addBadOption(option, value, `Give true, or { path: '/${option.toLowerCase()}' }.`)
}

/** One that is misspelt waives nothing, and nobody would know before the server listens. */
function checkWaivers(waive: unknown, diagnostics: Diagnostics): void {
  const known = Object.keys(waivers)
  const [example] = known as [string]
  if (waive !== undefined && !Array.isArray(waive)) {
    diagnostics.addBadOption('waive', waive, `Give an array of names, such as ['${example}'].`)
  }
  const given = Array.isArray(waive) ? (waive as unknown[]) : []
  for (const name of given.filter((one) => !known.includes(one as string))) {
    const nearest = typeof name === 'string' ? nearestName(name, known) : undefined
    const advice = nearest === undefined ? '' : ` Did you mean '${nearest}'?`
    const all = known.map((one) => `'${one}'`).join(', ')
    diagnostics.add(
      'bad-option',
      `waive has ${describeValue(name)}, which waives nothing.${advice} It can name: ${all}.`,
    )
  }
}

/** What a client can send: anything else in a list would let nobody in, and nobody would know why. */
const allowed = {
  allowedHosts: {
    form: /^(?:\[[\da-f:.]+\]|[^\s/*?#@:[\]]+)(?::\d+)?$/i,
    example: 'mcp.example.com',
    fix: "no Host header is. Give names, with a port or without, such as 'mcp.example.com'; '*' alone stands for all",
  },
  allowedOrigins: {
    form: /^(?:[a-z][a-z\d+.-]*:\/\/[^\s/*?#@]*|null)$/i,
    example: 'https://app.example.com',
    fix: "no Origin header is. Give origins, such as 'https://app.example.com', without a path; '*' alone stands for all",
  },
} as const

function checkNamesOf(option: keyof typeof allowed, value: unknown, diagnostics: Diagnostics): void {
  if (value === undefined) return
  const { form, example, fix } = allowed[option]
  if (!Array.isArray(value)) {
    diagnostics.addBadOption(option, value, `Give an array of strings, such as ['${example}'].`)
    return
  }
  const isName = (item: unknown): boolean => typeof item === 'string' && (item === '*' || form.test(item))
  for (const name of (value as unknown[]).filter((item) => !isName(item))) {
    diagnostics.add('bad-option', `${option} has ${describeValue(name)}, which ${fix}.`)
  }
}

/** Options of an authenticator are no authenticator. */
export function checkAuthentication(value: Partial<Authenticator> | null | undefined, diagnostics: Diagnostics): void {
  addReportedDiagnostics('authentication', value?.diagnostics, diagnostics)
  if (value === undefined || typeof value?.authenticate === 'function') return
  diagnostics.add(
    'bad-option',
    `authentication is ${describeValue(value)}, which has no method authenticate. Give what jwtBearer({ … }), ` +
      'introspection({ … }), apiKeys({ … }) or authenticateWith(…) returns.',
  )
}

const corsNames: NamesOf<CorsOptions> = { credentials: true, maxAge: true }

function checkCors({ cors, allowedOrigins = [], allowedHosts }: MountOptions, diagnostics: Diagnostics): void {
  if (cors === undefined || cors === false) return
  const options = checkCorsOptions(cors, diagnostics)
  // What it is instead is reported.
  if (!Array.isArray(allowedOrigins)) return
  const report = (message: string): void => diagnostics.add('bad-option', message)
  // Pages from a host that is named may call, and those of this machine unless other hosts are named.
  const namesNoHost = Array.isArray(allowedHosts) && allowedHosts.every((host) => host === '*')
  if (allowedOrigins.length === 0 && namesNoHost) {
    report("cors is on, but no web page may call. Name their origins: `allowedOrigins: ['https://app.example.com']`.")
  }
  if (allowedOrigins.includes('*') && options.credentials === true) {
    const why = 'every web page could act with the cookies of whoever looks at it'
    report(`cors.credentials is on and allowedOrigins has '*': ${why}. Name the origins, or leave out credentials.`)
  }
}

function checkCorsOptions(cors: true | CorsOptions, diagnostics: Diagnostics): CorsOptions {
  const options = cors === true ? {} : requireObject('cors', cors, diagnostics)
  const { credentials, maxAge = 0 } = options
  checkNames(options, Object.keys(corsNames), diagnostics, { prefix: 'cors.' })
  requireBoolean('cors.credentials', credentials, diagnostics)
  requireNumber('cors.maxAge', maxAge, 0, Number.MAX_SAFE_INTEGER, diagnostics)
  return options
}
