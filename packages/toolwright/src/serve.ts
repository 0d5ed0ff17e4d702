import { BootError, type McpServer } from '@toolwright/core'
import { logOutput, supportedVersions, writeExample } from '@toolwright/core/internal'
import { serveStdio } from '@toolwright/core/stdio'
import { describeClosed, listNames, omitMountOptions } from '@toolwright/fastify/internal'
import type { FastifyInstance } from 'fastify'
import { createHost, type HostOptions } from './create-host.js'
import { closeOnSignals } from './signals.js'

/**
 * Runs a server as a program: over HTTP on `HOST` and `PORT` (127.0.0.1:3000), or over stdio when the program was
 * started with `--stdio`. Prints where it listens and what to try, and closes politely on SIGTERM and SIGINT.
 *
 * @returns The host, which listens: too late for routes, which {@link createHost} takes. `null` after stdio has ended.
 * @throws BootError that lists every mistake found.
 */
export async function serve(options: HostOptions): Promise<FastifyInstance | null> {
  if (process.argv.includes('--stdio')) {
    await serveOverStdio(options)
    return null
  }
  const { drainTimeoutMs = 10_000, onDrainTimeout } = options
  let wasCut = false
  const host = await createHost({
    ...options,
    onDrainTimeout: () => {
      wasCut = true
      onDrainTimeout?.()
    },
  })
  // Before it listens: whoever started the program may stop it as soon as it answers.
  const signals = closeOnSignals(host, { drainTimeoutMs, wasCut: () => wasCut })
  try {
    // An empty variable is none.
    const address = await listen(host, process.env['HOST'] || '127.0.0.1', process.env['PORT'] || '3000')
    logOutput(process.stdout.fd || 1).write(describeHost(host.mcp, `${address}${options.path ?? '/mcp'}`, options))
  } catch (error) {
    signals.uninstall()
    await host.close()
    throw error
  }
  return host
}

async function serveOverStdio({ fastify: _unused, health: _none, ...served }: HostOptions): Promise<void> {
  const stopped = new AbortController()
  const stop = (): void => {
    if (stopped.signal.aborted) process.exit(1)
    stopped.abort()
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stop)
  await serveStdio(omitMountOptions(served), { signal: stopped.signal })
}

async function listen(app: FastifyInstance, host: string, port: string): Promise<string> {
  try {
    const address = await app.listen({ host, port: readPort(port) })
    // Of all addresses, the one by which a client on this machine may call.
    return address.replace('//[::]:', '//[::1]:')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw badAddress(`PORT ${port} of ${host} is in use. End the program that has it, or choose another PORT.`)
  }
}

function readPort(value: string): number {
  const port = Number(value)
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw badAddress(`PORT is '${value}'. Give a number from 0 to 65535.`)
}

function badAddress(message: string): BootError {
  return new BootError([{ code: 'bad-option', message }])
}

function describeHost(server: McpServer, url: string, { authentication }: HostOptions): string {
  const { identity, catalog } = server
  const tools = inOrder(catalog.tools).join(', ')
  const prompts = listNames(inOrder(catalog.prompts))
  const resources = listNames([...inOrder(catalog.resources), ...inOrder(catalog.resourceTemplates)])
  const closed = authentication === undefined ? describeClosed(server) : null
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
    authentication === undefined ? 'Try it:' : 'Try it, with the credentials of a caller:',
    ...writeCommand(url),
    '',
    '',
  ].join('\n')
}

/** Of the newest revision: a request that says nothing is answered as an old one, without half of what tools declare. */
function writeCommand(url: string): readonly string[] {
  const { headers, body } = writeExample('tools/list')
  const given = Object.entries({ 'content-type': 'application/json', ...headers })
  const flags = given.map(([name, value]) => `-H '${name}: ${value}'`).join(' ')
  return [`  curl -s '${url}' ${flags} \\`, `    -d '${body}'`]
}

/** As lists have them. */
function inOrder(shelf: { keys(): Iterable<string> }): string[] {
  return [...shelf.keys()].toSorted()
}
