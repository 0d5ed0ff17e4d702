import type { McpServer, ServerOptions } from '@toolwright/core'
import type { OptionsOf } from '@toolwright/core/options'
import type { RunningServer } from '@toolwright/core/transport'
import type { Closing } from './connections/closing.js'
import type { ExtraEndpoint, mountOptions } from './mount/mount-options.js'
import type { Challenges } from './security/challenge.js'

/** How an MCP server is mounted in a Fastify application. */
export interface MountOptions extends OptionsOf<typeof mountOptions> {}

/** Either what to serve, or a server that was created before. */
export type McpPluginOptions = MountOptions & ((ServerOptions & { readonly server?: undefined }) | ServerMount)

/** A server that exists already. Whoever made it closes it. */
export interface ServerMount {
  readonly server: McpServer
}

/** A server, how it is mounted, and what Fastify and `createHost` add. */
export interface MountedOptions extends MountOptions, ServerMount {
  readonly prefix?: string
  /** Whether the endpoint is also at its path with a slash behind it. Default: false, for that is another route. */
  readonly answersSlash?: boolean
}

/** What the handlers of one endpoint share. */
export interface EndpointOptions {
  readonly server: RunningServer
  readonly sessions: boolean
  readonly streamAnswers: boolean
  readonly retryMs: number
  readonly keepAliveMs: number
  readonly closing: Closing
  readonly challenges: Challenges
}

/** `null`: it is off. */
export function pathOf(option: boolean | ExtraEndpoint | undefined, path: string): string | null {
  if (option === undefined || option === false) return null
  return option === true ? path : option.path
}
