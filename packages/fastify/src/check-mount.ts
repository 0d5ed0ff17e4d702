import { describeValue, type Problems, requireNumber, suggestNames } from '@toolwright/core/internal'
import type { MountOptions, Waiver } from './options.js'

/** A list that the compiler holds to be complete. */
const waivers: Readonly<Record<Waiver, true>> = { 'open-bind': true }

/** What is wrong with the options of an endpoint whatever it serves. */
export function checkMountOptions(options: MountOptions, problems: Problems): void {
  const { path = '/mcp', retryMs = 0, keepAliveMs = 1 } = options
  if (typeof path !== 'string' || !path.startsWith('/')) {
    problems.add('bad-option', `path is ${describeValue(path)}. Give a path that begins with /, such as '/mcp'.`)
  }
  checkTexts('allowedHosts', options.allowedHosts, "['mcp.example.com']", problems)
  checkTexts('allowedOrigins', options.allowedOrigins, "['https://app.example.com']", problems)
  requireNumber('retryMs', retryMs, 0, Number.MAX_SAFE_INTEGER, problems)
  requireNumber('keepAliveMs', keepAliveMs, 1, 2 ** 31 - 1, problems)
  checkDrain(options, problems)
  checkCors(options, problems)
  checkWaivers(options.waive, problems)
  for (const option of ['webSocket', 'rpc'] as const) checkEndpoint(option, options[option], problems)
  for (const option of ['sessions', 'streamAnswers', 'legacySse'] as const) {
    const value: unknown = options[option] ?? false
    if (typeof value !== 'boolean') {
      problems.add('bad-option', `${option} is ${describeValue(value)}. Give true or false.`)
    }
  }
}

/** One that is on or off, or on at a path. */
function checkEndpoint(option: 'webSocket' | 'rpc', value: MountOptions['rpc'], problems: Problems): void {
  if (value === undefined || typeof value === 'boolean') return
  const path: unknown = (value as { readonly path?: unknown } | null)?.path
  if (typeof path === 'string' && path.startsWith('/')) return
  problems.add(
    'bad-option',
    `${option} is ${describeValue(value)}. Give true, or { path: '/${option.toLowerCase()}' }.`,
  )
}

/** One that is misspelt waives nothing, and nobody would know before the server listens. */
function checkWaivers(waive: unknown, problems: Problems): void {
  const known = Object.keys(waivers)
  const [example] = known as [string]
  if (waive !== undefined && !Array.isArray(waive)) {
    problems.add('bad-option', `waive is ${describeValue(waive)}. Give an array of names, such as ['${example}'].`)
  }
  const given = Array.isArray(waive) ? (waive as unknown[]) : []
  for (const name of given.filter((one) => !known.includes(one as string))) {
    const [nearest] = typeof name === 'string' ? suggestNames(name, known) : []
    const advice = nearest === undefined ? '' : ` Did you mean '${nearest}'?`
    const all = known.map((one) => `'${one}'`).join(', ')
    problems.add(
      'bad-option',
      `waive has ${describeValue(name)}, which waives nothing.${advice} What it can name: ${all}.`,
    )
  }
}

function checkTexts(option: string, value: unknown, example: string, problems: Problems): void {
  if (value === undefined) return
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')) return
  problems.add('bad-option', `${option} is ${describeValue(value)}. Give an array of texts, such as ${example}.`)
}

function checkDrain({ drainTimeoutMs }: MountOptions, problems: Problems): void {
  if (drainTimeoutMs === undefined || (Number.isInteger(drainTimeoutMs) && drainTimeoutMs >= 0)) return
  problems.add('bad-option', 'drainTimeoutMs is no whole number of milliseconds. Give one, or leave it out for 10,000.')
}

function checkCors({ cors, allowedOrigins = [] }: MountOptions, problems: Problems): void {
  if (cors === undefined || cors === false) return
  const report = (message: string): void => problems.add('bad-option', message)
  if (allowedOrigins.length === 0) {
    report("cors is on, but no web page may call. Name their origins: `allowedOrigins: ['https://app.example.com']`.")
  }
  if (allowedOrigins.includes('*') && cors !== true && cors.credentials === true) {
    const why = 'every web page could act with the cookies of whoever looks at it'
    report(`cors.credentials is on and allowedOrigins has '*': ${why}. Name the origins, or leave out credentials.`)
  }
}
