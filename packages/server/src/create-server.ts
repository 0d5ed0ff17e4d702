import type { McpServer } from '@toolwright/core'
import { createServerIn as createCoreServerIn, type Host } from '@toolwright/core/host'
import { type ServerOptions, serverParts } from './options.js'
import { logToStderr } from './program/log-output.js'
import { reports } from './reports.js'

/**
 * Boots a server: loads and checks all decorated classes, creates the controllers, and compiles a plan for each feature.
 * The server serves nothing until all checks have passed.
 *
 * @throws BootError that lists all problems, or the error of `onReady`.
 */
export function createServer(options: ServerOptions): Promise<McpServer> {
  return createServerIn(options, { optionNames: [], check: () => undefined })
}

export function createServerIn(options: ServerOptions, host: Host): Promise<McpServer> {
  return createCoreServerIn(options, { ...host, parts: serverParts, reports, createLog: logToStderr })
}
