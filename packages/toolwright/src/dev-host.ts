// The connection to `toolwright dev`.

import type { Caller, McpServer } from '@toolwright/core'
import { type DevMounts, type DevParts, findDevMounts } from '@toolwright/fastify/internal'
import type { FastifyInstance, FastifyListenOptions } from 'fastify'
import type { HostOptions } from './create-host.js'

export { type DevMount, type DevParts, type DevStores, devParts } from '@toolwright/fastify/internal'

/**
 * Host of a program that `toolwright dev` runs. The host listens instead of the program, and replaces the program's
 * server.
 */
export interface DevHost extends DevMounts {
  readonly isStdio: boolean
  extend(options: HostOptions, parts: DevParts): HostOptions
  addressOf(wanted: FastifyListenOptions | undefined): FastifyListenOptions
  /** Serves an application in place of `app.listen`. Resolves to the URL of the application. */
  listen(app: FastifyInstance): Promise<string>
  /** Serves a server over stdio, to one caller. The promise never resolves. */
  serveStdio(server: McpServer, principal: Caller | null): Promise<never>
}

/** Finds the host of `toolwright dev`; `undefined` if the program was started otherwise. */
export function findDevHost(): DevHost | undefined {
  return findDevMounts() as DevHost | undefined
}
