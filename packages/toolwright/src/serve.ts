import { type Authenticator, BootError, defaultLimits, type Limits, type McpServer } from '@toolwright/core'
import {
  describeListenError,
  logOutput,
  logToStderr,
  modulesBeingEvaluated,
  requireOptionsObject,
  writeExample,
} from '@toolwright/core/internal'
import { Diagnostics } from '@toolwright/core/options'
import { describeUnreachable, listNames, networkTransports, supportedVersions } from '@toolwright/core/transport'
import { credentialsHeader, omitMountOptions } from '@toolwright/fastify/internal'
import type { ServerOptions } from '@toolwright/server'
import { createServerIn, serverOptions } from '@toolwright/server/host'
import { serveStdio } from '@toolwright/server/stdio'
import type { FastifyInstance } from 'fastify'
import { createHost, type HostOptions, scannerFor } from './create-host.js'
import { type DevHost, devParts, findDevHost } from './dev-host.js'
import { closeOnSignals, failProcess } from './signals.js'
import { readStdioCaller } from './stdio-caller.js'

/** Default drain timeout over stdio in milliseconds. Clients kill a server that takes longer to stop. */
const stdioDrainMs = 1000

/**
 * Runs a server as a program: over HTTP on `HOST` and `PORT` (default: 127.0.0.1:3000), or over stdio if the program
 * was started with `--stdio`. Without the option `allowedHosts`, the program reads `ALLOWED_HOSTS`. Without
 * `revisions`, the program reads `MCP_REVISIONS`. Both variables contain names separated by commas. Over stdio, `--as JSON`
 * sets the caller. The program prints its address and an example request, and shuts down gracefully on SIGTERM, SIGINT, SIGHUP and SIGQUIT. With
 * `--explain`, the program prints a report of served and hidden features, and exits. With `--explain --json`, the
 * report is JSON.
 *
 * @returns The host, which is already listening. To add routes, use {@link createHost}. Over stdio, the promise never
 * resolves, because the process exits when its input ends. Release resources in the option `onClose`.
 * @throws BootError that lists every mistake. An uncaught error is printed, and the process exits with code 1.
 */
export async function serve(given: HostOptions): Promise<FastifyInstance> {
  requireOptionsObject(given, new Diagnostics())
  const options = { ...optionsOfEnvironment(given), ...given }
  const devHost = findDevHost()
  if (devHost !== undefined) return serveInDev(options, devHost, modulesBeingEvaluated())
  if (process.argv.includes('--explain')) return explainAndExit(options)
  if (process.argv.includes('--stdio')) return serveOverStdio(options)
  const host = await createHost({ ...options, onDrainTimeout: () => onCut(options) })
  // The host is registered before it listens: a supervisor may stop the program as soon as the program responds.
  const unregister = closeOnSignals({
    log: host.log,
    drainTimeoutMs: options.drainTimeoutMs ?? 10_000,
    close: () => host.close(),
  })
  // The host is unregistered after everything has closed: until then, a signal must not end the process.
  host.addHook('onClose', async () => void host.close().then(unregister, unregister))
  try {
    // An empty variable is treated as unset.
    const address = await listen(host, process.env['HOST'] || '127.0.0.1', process.env['PORT'] || '3000')
    logOutput(process.stdout.fd || 1).write(describeHost(host.mcp, `${address}${options.path ?? '/mcp'}`, options))
  } catch (error) {
    await host.close()
    unregister()
    throw error
  }
  return host
}

/** Reads options from environment variables. Containers need `ALLOWED_HOSTS`, because they listen on every address. */
function optionsOfEnvironment({ revisions: given }: HostOptions): Pick<HostOptions, 'allowedHosts' | 'revisions'> {
  const [allowedHosts, revisions] = [readList('ALLOWED_HOSTS'), readList('MCP_REVISIONS')]
  // The revisions are checked here, because the error has to name the variable.
  if (revisions.length > 0 && given === undefined) {
    const diagnostics = new Diagnostics()
    serverOptions.revisions.read(revisions, 'MCP_REVISIONS', diagnostics)
    diagnostics.throwIfAny()
  }
  return { ...(allowedHosts.length === 0 ? {} : { allowedHosts }), ...(revisions.length === 0 ? {} : { revisions }) }
}

/** Reads names that are separated by commas. */
function readList(variable: string): readonly string[] {
  const names = (process.env[variable] ?? '').split(',').map((name) => name.trim())
  return names.filter((name) => name !== '')
}

/** Serves under `toolwright dev`. The command prints the address, and ends the process on signals. */
async function serveInDev(
  options: HostOptions,
  devHost: DevHost,
  beingEvaluated: ReadonlySet<string>,
): Promise<FastifyInstance> {
  if (devHost.isStdio) {
    const host = { optionNames: [], check: () => undefined, ...scannerFor(devHost, beingEvaluated) }
    try {
      const principal = readStdioCaller(options.stdio)
      const server = await createServerIn(withoutHttp(devHost.extend(options, devParts)), host)
      return await devHost.serveStdio(server, principal)
    } catch (error) {
      devHost.failed(error)
      throw error
    }
  }
  const host = await createHost(options)
  await listen(host, process.env['HOST'] || '127.0.0.1', process.env['PORT'] || '3000')
  return host
}

/**
 * Creates a host, because only a host checks all options. Exits the process explicitly: resources that the program has
 * opened for its services would keep it running.
 */
async function explainAndExit(options: HostOptions): Promise<never> {
  const { loggerInstance: _unused, ...fastify } = options.fastify ?? {}
  const logger = { level: 'error', stream: logOutput(process.stderr.fd || 2) }
  const host = await createHost({ ...options, fastify: { ...fastify, logger } })
  const describe = process.argv.includes('--json') ? encodeReport : describeReport
  await print(describe(host.mcp, options))
  await host.close()
  process.exit()
}

function describeReport(server: McpServer, options: HostOptions): string {
  const closed = findClosed(server, options)
  return [
    String(server.explain()),
    ...describeAccess(server),
    ...(closed === null ? [] : ['', 'Closed:', `  ${closed}`]),
    ...describeLimits(server.limits),
    ...describeRevisions(server.revisions),
    '',
  ].join('\n')
}

/** Encodes the report for other programs. */
function encodeReport(server: McpServer, options: HostOptions): string {
  // JSON has no Infinity, so an infinite limit is encoded as text.
  const encode = (limit: number): number | string => (Number.isFinite(limit) ? limit : String(limit))
  const limits = Object.fromEntries(changedLimits(server.limits).map((name) => [name, encode(server.limits[name])]))
  const { revisions } = server
  const closed = findClosed(server, options)
  const access = server.authorizationMatrix()
  return `${JSON.stringify({ ...server.explain(), access, closed, limits, revisions }, null, 2)}\n`
}

/** Shows who can use which features, unless every caller can use all features. */
function describeAccess(server: McpServer): readonly string[] {
  const matrix = server.authorizationMatrix()
  const isOpen = matrix.rows.every(({ access }) => Object.values(access).every((outcome) => outcome === 'callable'))
  return isOpen ? [] : ['', 'Access:', String(matrix)]
}

function changedLimits(limits: Limits): readonly (keyof Limits)[] {
  return (Object.keys(limits) as (keyof Limits)[]).filter((name) => limits[name] !== defaultLimits[name])
}

/** Lists the limits that differ from their defaults. */
function describeLimits(limits: Limits): readonly string[] {
  const changed = changedLimits(limits)
  if (changed.length === 0) return []
  return ['', 'Limits:', ...changed.map((name) => `  ${name} is ${limits[name]} (default: ${defaultLimits[name]})`)]
}

/** Lists the revisions, unless the server offers all revisions. */
function describeRevisions(revisions: readonly string[]): readonly string[] {
  return revisions.length === supportedVersions.length ? [] : ['', 'Revisions offered:', `  ${revisions.join(', ')}`]
}

/**
 * Writes text to stdout, and waits until a slow reader has read it. Stops waiting if the reader closes the pipe, as
 * `head` does.
 */
function print(text: string): Promise<unknown> {
  return new Promise((resolve) => {
    process.stdout.once('error', resolve).write(text, resolve)
  })
}

async function serveOverStdio(options: HostOptions): Promise<never> {
  const { drainTimeoutMs: drainMs = stdioDrainMs } = options
  const principal = readStdioCaller(options.stdio)
  const stdioOptions = withoutHttp(options)
  const stopped = new AbortController()
  const onDrainTimeout = (): void => onCut(options)
  const serving = serveStdio(stdioOptions, { principal, signal: stopped.signal, drainMs, onDrainTimeout })
  const close = (): Promise<void> => {
    stopped.abort()
    return serving
  }
  const unregister = closeOnSignals({ log: stdioOptions.logger, drainTimeoutMs: drainMs, close })
  try {
    await serving
  } finally {
    unregister()
  }
  // Normally not reached: `serveStdio` ends the process if it is the only reader of standard input.
  return process.exit()
}

/** Removes the options of HTTP, and sets a logger to stderr, because stdout is for messages. */
function withoutHttp({ fastify: _unused, health: _none, plugins: _no, stdio: _read, ...options }: HostOptions) {
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
    // If the server listens on all addresses, returns an address that a client on this machine can use.
    return address.replace('//[::]:', '//[::1]:')
  } catch (error) {
    const fault = describeListenError(error, wanted.host, wanted.port, { host: 'HOST', port: 'PORT' })
    throw fault === null ? error : badAddress(fault)
  }
}

function readPort(value: string): number {
  // Only digits are accepted: `1e3` and `0x50` are valid numbers, but not valid ports.
  const port = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (port < 65_536) return port
  throw badAddress(`PORT is '${value}'. Give a number from 0 to 65535.`)
}

function badAddress(message: string): BootError {
  return new BootError([{ code: 'bad-option', message }])
}

/** Describes the features that no caller can use. */
function findClosed(server: McpServer, { authentication }: HostOptions): string | null {
  return authentication === undefined
    ? describeUnreachable(server, networkTransports, 'there is no authentication')
    : null
}

function describeHost(server: McpServer, url: string, options: HostOptions): string {
  const { identity, catalog } = server
  const tools = inOrder(catalog.tools).join(', ')
  const prompts = listNames(inOrder(catalog.prompts))
  const resources = listNames([...inOrder(catalog.resources), ...inOrder(catalog.resourceTemplates)])
  const closed = findClosed(server, options)
  return [
    '',
    `${identity.name} ${identity.version} serving MCP at ${url}`,
    `  revisions  ${server.revisions.join(', ')}`,
    `  tools      ${tools === '' ? 'none yet' : tools}`,
    ...(prompts === '' ? [] : [`  prompts    ${prompts}`]),
    ...(resources === '' ? [] : [`  resources  ${resources}`]),
    ...(closed === null ? [] : [`  closed     ${closed}`]),
    ...server.explain().hints.map((hint) => `  not served ${hint}`),
    '',
    options.authentication === undefined ? 'Try it:' : 'Try it, with your credentials:',
    ...writeCommand(url, server, options),
    '',
    '',
  ].join('\n')
}

/**
 * Writes an example request in the newest revision. Without the headers of that revision, the response would have the
 * form of an old revision.
 */
function writeCommand(
  url: string,
  { revisions }: McpServer,
  { allowedHosts = [], authentication }: HostOptions,
): readonly string[] {
  const { headers, body } = writeExample('tools/list', revisions[0] as string)
  const given = {
    ...nameOf(url, allowedHosts),
    ...(authentication === undefined ? {} : writeCredentials(authentication)),
    'content-type': 'application/json',
    ...headers,
  }
  const flags = Object.entries(given).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  const [command, data] = [`  curl -s ${quote(url)} ${flags.join(' ')}`, `-d ${quote(body)}`]
  // The prompt of Windows has no single quotes, and continues no line after a backslash.
  return process.platform === 'win32' ? [`${command} ${data}`] : [`${command} \\`, `    ${data}`]
}

function writeCredentials(authentication: Authenticator): Readonly<Record<string, string>> {
  const { name, value } = credentialsHeader(authentication) ?? { name: 'authorization', value: 'Bearer YOUR_TOKEN' }
  return { [name]: value }
}

/** Quotes an argument for the shell of this system. */
function quote(text: string): string {
  return process.platform === 'win32' ? `"${text.replaceAll('"', '\\"')}"` : `'${text}'`
}

/**
 * Returns a `host` header if `allowedHosts` does not contain the address. Without the header, the request would be
 * rejected.
 */
function nameOf(url: string, [name, ...others]: readonly string[]): { readonly host?: string } {
  const { host, hostname } = new URL(url)
  if (name === undefined || [name, ...others].some((one) => ['*', host, hostname].includes(one))) return {}
  return { host: name }
}

/** Lists the names in the order of the list methods. Adds the transports of features that only some transports serve. */
function inOrder(registry: McpServer['catalog']['registries'][number]['registry']): string[] {
  return registry
    .entries()
    .map(([name, { transports }]) => (transports === null ? name : `${name} (${transports.join(', ')})`))
}
