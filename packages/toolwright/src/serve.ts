import { BootError } from '@toolwright/core'
import { modulesBeingEvaluated, requireOptionsObject } from '@toolwright/core/host'
import { Diagnostics } from '@toolwright/core/options'
import { omitMountOptions } from '@toolwright/fastify/internal'
import type { ServerOptions } from '@toolwright/server'
import { createServerIn, serverOptions } from '@toolwright/server/host'
import { describeListenError, logOutput, logToStderr } from '@toolwright/server/program'
import { serveStdio } from '@toolwright/server/stdio'
import type { FastifyInstance } from 'fastify'
import { createHost, type HostOptions, scannerFor } from './create-host.js'
import { describeHost } from './describe-host.js'
import { type DevHost, devParts, findDevHost } from './dev-host.js'
import { describeReport, encodeReport } from './explain-report.js'
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
