import type { Authenticator } from '@toolwright/core'
import {
  addOwnProblems,
  checkNames,
  describeValue,
  longestTimer,
  type NamesOf,
  nearestName,
  type Problems,
  requireBoolean,
  requireFunction,
  requireNumber,
  requireObject,
} from '@toolwright/core/internal'
import { checkLastPart, isPath } from './check-paths.js'
import type { CorsOptions, MountOptions, Waiver } from './options.js'

/** A list that the compiler holds to be complete. */
const waivers: Readonly<Record<Waiver, true>> = { 'open-bind': true }

/** What is on or off. */
const switches = ['allowAnonymous', 'sessions', 'streamAnswers', 'legacySse'] as const

/** What is wrong with the options of an endpoint whatever it serves. */
export function checkMountOptions(options: MountOptions, problems: Problems): void {
  const { path = '/mcp', retryMs = 0, keepAliveMs = 1, drainTimeoutMs = 0 } = options
  if (isPath(path)) checkLastPart('path', path, problems)
  else {
    problems.addBadOption('path', path, "Give a path that begins with / and has no query, such as '/mcp'.")
  }
  checkNamesOf('allowedHosts', options.allowedHosts, problems)
  checkNamesOf('allowedOrigins', options.allowedOrigins, problems)
  checkAuthentication(options.authentication, problems)
  requireNumber('retryMs', retryMs, 0, Number.MAX_SAFE_INTEGER, problems)
  requireNumber('keepAliveMs', keepAliveMs, 1, longestTimer, problems)
  requireNumber('drainTimeoutMs', drainTimeoutMs, 0, Infinity, problems)
  checkCors(options, problems)
  checkWaivers(options.waive, problems)
  for (const option of ['webSocket', 'rpc'] as const) checkEndpoint(option, options[option], problems)
  for (const option of switches) requireBoolean(option, options[option], problems)
  requireFunction('onDrainTimeout', options.onDrainTimeout, '', problems)
}

/** One that is on or off, or on at a path. */
function checkEndpoint(option: 'webSocket' | 'rpc', value: MountOptions['rpc'], problems: Problems): void {
  if (value === undefined || typeof value === 'boolean') return
  const path: unknown = (value as { readonly path?: unknown } | null)?.path
  if (isPath(path)) {
    checkNames(value, ['path'], problems, { prefix: `${option}.` })
    checkLastPart(`${option}.path`, path, problems)
    return
  }
  problems.addBadOption(option, value, `Give true, or { path: '/${option.toLowerCase()}' }.`)
}

/** One that is misspelt waives nothing, and nobody would know before the server listens. */
function checkWaivers(waive: unknown, problems: Problems): void {
  const known = Object.keys(waivers)
  const [example] = known as [string]
  if (waive !== undefined && !Array.isArray(waive)) {
    problems.addBadOption('waive', waive, `Give an array of names, such as ['${example}'].`)
  }
  const given = Array.isArray(waive) ? (waive as unknown[]) : []
  for (const name of given.filter((one) => !known.includes(one as string))) {
    const nearest = typeof name === 'string' ? nearestName(name, known) : undefined
    const advice = nearest === undefined ? '' : ` Did you mean '${nearest}'?`
    const all = known.map((one) => `'${one}'`).join(', ')
    problems.add('bad-option', `waive has ${describeValue(name)}, which waives nothing.${advice} It can name: ${all}.`)
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

function checkNamesOf(option: keyof typeof allowed, value: unknown, problems: Problems): void {
  if (value === undefined) return
  const { form, example, fix } = allowed[option]
  if (!Array.isArray(value)) {
    problems.addBadOption(option, value, `Give an array of strings, such as ['${example}'].`)
    return
  }
  const isName = (item: unknown): boolean => typeof item === 'string' && (item === '*' || form.test(item))
  for (const name of (value as unknown[]).filter((item) => !isName(item))) {
    problems.add('bad-option', `${option} has ${describeValue(name)}, which ${fix}.`)
  }
}

/** Options of an authenticator are no authenticator. */
export function checkAuthentication(value: Partial<Authenticator> | null | undefined, problems: Problems): void {
  addOwnProblems('authentication', value?.problems, problems)
  if (value === undefined || typeof value?.authenticate === 'function') return
  problems.add(
    'bad-option',
    `authentication is ${describeValue(value)}, which has no method authenticate. Give what jwtBearer({ … }), ` +
      'introspection({ … }), apiKeys({ … }) or authenticateWith(…) returns.',
  )
}

const corsNames: NamesOf<CorsOptions> = { credentials: true, maxAge: true }

function checkCors({ cors, allowedOrigins = [], allowedHosts }: MountOptions, problems: Problems): void {
  if (cors === undefined || cors === false) return
  const options = checkCorsOptions(cors, problems)
  // What it is instead is reported.
  if (!Array.isArray(allowedOrigins)) return
  const report = (message: string): void => problems.add('bad-option', message)
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

function checkCorsOptions(cors: true | CorsOptions, problems: Problems): CorsOptions {
  const options = cors === true ? {} : requireObject('cors', cors, problems)
  const { credentials, maxAge = 0 } = options
  checkNames(options, Object.keys(corsNames), problems, { prefix: 'cors.' })
  requireBoolean('cors.credentials', credentials, problems)
  requireNumber('cors.maxAge', maxAge, 0, Number.MAX_SAFE_INTEGER, problems)
  return options
}
