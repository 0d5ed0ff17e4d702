import type { McpServer } from '@toolwright/core'
import { supportedVersions } from '@toolwright/core/internal'
import { serveStdio } from '@toolwright/core/stdio'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { createHost, type HostOptions } from './create-host.js'

/** Milliseconds that calls in flight get after SIGTERM or SIGINT. */
const closeDelayMs = 10_000

/**
 * Runs a server as a program: over HTTP on `HOST` and `PORT` (127.0.0.1:3000), or over stdio when the program was
 * started with `--stdio`. Prints where it listens and what to try, and closes politely on SIGTERM and SIGINT.
 *
 * @returns The host, to add routes to or to close; `null` after stdio has ended.
 * @throws BootError that lists every mistake found.
 */
export async function serve(options: HostOptions): Promise<FastifyInstance | null> {
  if (process.argv.includes('--stdio')) {
    const { fastify: _unused, ...served } = options
    await serveStdio(served)
    return null
  }
  const host = await createHost(options)
  closeWithGrace({ delay: closeDelayMs, logger: host.log }, async ({ err }) => {
    if (err !== undefined) host.log.error({ err }, 'closing after an error')
    await host.close()
  })
  const address = await host.listen({ port: readPort(process.env['PORT']), host: process.env['HOST'] ?? '127.0.0.1' })
  process.stdout.write(describeHost(host.mcp, `${address}${options.path ?? '/mcp'}`))
  return host
}

function readPort(value = '3000'): number {
  const port = Number(value)
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new Error(`PORT is '${value}'. Give a number from 0 to 65535.`)
}

function describeHost({ identity, catalog }: McpServer, url: string): string {
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const tools = catalog.tools.all.map(({ name }) => name).join(', ')
  return [
    '',
    `${identity.name} ${identity.version} serves MCP at ${url}`,
    `  revisions  ${supportedVersions.join(', ')}`,
    `  tools      ${tools === '' ? 'none yet' : tools}`,
    '',
    'Try it:',
    `  curl -s ${url} -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' -d '${list}'`,
    '',
    '',
  ].join('\n')
}
