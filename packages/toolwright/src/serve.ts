import { BootError, defaultLimits, type Limits, type McpServer, type ServerOptions } from '@toolwright/core'
import {
  describeListenError,
  loadPatternChecker,
  logOutput,
  logToStderr,
  requireOptionsObject,
  writeExample,
} from '@toolwright/core/internal'
import { Diagnostics } from '@toolwright/core/options'
import { serveStdio } from '@toolwright/core/stdio'
import { describeUnreachable, listNames, supportedVersions } from '@toolwright/core/transport'
import { omitMountOptions } from '@toolwright/fastify/internal'
import type { FastifyInstance } from 'fastify'
import { createHost, type HostOptions } from './create-host.js'
import { closeOnSignals, failProcess } from './signals.js'

/** Milliseconds for calls over stdio, unless the program says how many: clients that stop it wait no longer. */
const stdioDrainMs = 1000

/**
 * Runs a server as a program: over HTTP on `HOST` and `PORT` (127.0.0.1:3000), or over stdio when the program was
 * started with `--stdio`. Prints where it listens and what to try, and closes politely on SIGTERM, SIGINT, SIGHUP and
 * SIGQUIT. Started with `--explain`, the program prints what it would serve, what not and why, and ends.
 *
 * @returns The host, which listens already: to add routes, use {@link createHost}. Over stdio it does not return, because
 * the process ends with its input. Close what you opened in the option `onClose`.
 * @throws BootError that lists every mistake found.
 */
export async function serve(options: HostOptions): Promise<FastifyInstance> {
  requireOptionsObject(options, new Diagnostics())
  if (process.argv.includes('--explain')) return explainAndExit(options)
  if (process.argv.includes('--stdio')) return serveOverStdio(options)
  const host = await createHost({ ...options, onDrainTimeout: () => onCut(options) })
  // Before it listens: whoever started the program may stop it as soon as it answers.
  const forget = closeOnSignals({
    log: host.log,
    drainTimeoutMs: options.drainTimeoutMs ?? 10_000,
    close: () => host.close(),
  })
  // When all that closes is closed, and not before: what others do then is not to be cut by a signal.
  host.addHook('onClose', async () => void host.close().then(forget, forget))
  try {
    // An empty variable is none.
    const address = await listen(host, process.env['HOST'] || '127.0.0.1', process.env['PORT'] || '3000')
    logOutput(process.stdout.fd || 1).write(describeHost(host.mcp, `${address}${options.path ?? '/mcp'}`, options))
  } catch (error) {
    await host.close()
    forget()
    throw error
  }
  return host
}

/**
 * Of a host, which finds the mistakes in what only a host has. Ends the process as the end of stdio does: what the program
 * opened before, for its services, would keep it going.
 */
async function explainAndExit(options: HostOptions): Promise<never> {
  const { loggerInstance: _unused, ...fastify } = options.fastify ?? {}
  const logger = { level: 'error', stream: logOutput(process.stderr.fd || 2) }
  const host = await createHost({ ...options, fastify: { ...fastify, logger } })
  // Where NODE_ENV is `production`, the boot did not.
  loadPatternChecker()
  await print(describeReport(host.mcp, options))
  await host.close()
  process.exit()
}

function describeReport(server: McpServer, options: HostOptions): string {
  const closed = findClosed(server, options)
  return [
    String(server.explain()),
    ...(closed === null ? [] : ['', 'Closed:', `  ${closed}`]),
    ...describeLimits(server.limits),
    '',
  ].join('\n')
}

/** Those that are not as the reference has them. */
function describeLimits(limits: Limits): readonly string[] {
  const names = Object.keys(limits) as (keyof Limits)[]
  const changed = names.filter((name) => limits[name] !== defaultLimits[name])
  if (changed.length === 0) return []
  return ['', 'Limits:', ...changed.map((name) => `  ${name} is ${limits[name]}, and not ${defaultLimits[name]}`)]
}

/** All of it, however slowly it is read: a report is no log. Whoever stops reading, as `head` does, has had enough. */
function print(text: string): Promise<unknown> {
  return new Promise((resolve) => {
    process.stdout.once('error', resolve).write(text, resolve)
  })
}

async function serveOverStdio(options: HostOptions): Promise<never> {
  const { drainTimeoutMs: drainMs = stdioDrainMs } = options
  const stdioOptions = withoutHttp(options)
  const stopped = new AbortController()
  const onDrainTimeout = (): void => onCut(options)
  const serving = serveStdio(stdioOptions, { signal: stopped.signal, drainMs, onDrainTimeout })
  const close = (): Promise<void> => {
    stopped.abort()
    return serving
  }
  const forget = closeOnSignals({ log: stdioOptions.logger, drainTimeoutMs: drainMs, close })
  try {
    await serving
  } finally {
    forget()
  }
  // It has ended the process already, as the only one that reads its standard input.
  return process.exit()
}

/** What a server has that listens nowhere. Its log is on stderr: stdout is for messages. */
function withoutHttp({ fastify: _unused, health: _none, ...options }: HostOptions) {
  return { logger: logToStderr(options.name), ...omitMountOptions(options) } satisfies ServerOptions
}

function onCut({ onDrainTimeout }: HostOptions): void {
  failProcess()
  onDrainTimeout?.()
}

async function listen(app: FastifyInstance, host: string, port: string): Promise<string> {
  const wanted = { host, port: readPort(port) }
  try {
    const address = await app.listen(wanted)
    // Of all addresses, the one by which a client on this machine may call.
    return address.replace('//[::]:', '//[::1]:')
  } catch (error) {
    const fault = describeListenError(error, wanted.host, wanted.port, { host: 'HOST', port: 'PORT' })
    throw fault === null ? error : badAddress(fault)
  }
}

function readPort(value: string): number {
  // Digits: `1e3` and `0x50` are numbers, too, and nobody means them.
  const port = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (port < 65_536) return port
  throw badAddress(`PORT is '${value}'. Give a number from 0 to 65535.`)
}

function badAddress(message: string): BootError {
  return new BootError([{ code: 'bad-option', message }])
}

/** What nobody can use. */
function findClosed(server: McpServer, { authentication }: HostOptions): string | null {
  return authentication === undefined ? describeUnreachable(server, 'there is no authentication') : null
}

function describeHost(server: McpServer, url: string, options: HostOptions): string {
  const { identity, catalog } = server
  const tools = inOrder(catalog.tools).join(', ')
  const prompts = listNames(inOrder(catalog.prompts))
  const resources = listNames([...inOrder(catalog.resources), ...inOrder(catalog.resourceTemplates)])
  const closed = findClosed(server, options)
  return [
    '',
    `${identity.name} ${identity.version} serves MCP at ${url}`,
    `  revisions  ${supportedVersions.join(', ')}`,
    `  tools      ${tools === '' ? 'none yet' : tools}`,
    ...(prompts === '' ? [] : [`  prompts    ${prompts}`]),
    ...(resources === '' ? [] : [`  resources  ${resources}`]),
    ...(closed === null ? [] : [`  closed     ${closed}`]),
    ...server.explain().hints.map((hint) => `  not served ${hint}`),
    '',
    options.authentication === undefined ? 'Try it:' : 'Try it, with the credentials of a caller:',
    ...writeCommand(url, options.allowedHosts),
    '',
    '',
  ].join('\n')
}

/** Of the newest revision: a request that says nothing is answered as an old one, without half of what tools declare. */
function writeCommand(url: string, allowedHosts: readonly string[] = []): readonly string[] {
  const { headers, body } = writeExample('tools/list')
  const given = Object.entries({ ...nameOf(url, allowedHosts), 'content-type': 'application/json', ...headers })
  const flags = given.map(([name, value]) => `-H '${name}: ${value}'`).join(' ')
  return [`  curl -s '${url}' ${flags} \\`, `    -d '${body}'`]
}

/** Where the address is none of the names that are served, one that is: without it the command would be refused. */
function nameOf(url: string, [name, ...others]: readonly string[]): { readonly host?: string } {
  const { host, hostname } = new URL(url)
  if (name === undefined || [name, ...others].some((one) => ['*', host, hostname].includes(one))) return {}
  return { host: name }
}

/** As lists have them. */
function inOrder(registry: { keys(): Iterable<string> }): string[] {
  return [...registry.keys()].toSorted()
}
