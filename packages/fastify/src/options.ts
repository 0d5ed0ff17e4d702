import type { McpServer } from '@toolwright/core'
import type { OptionsOf, ReadOptions } from '@toolwright/core/options'
import type { RunningServer } from '@toolwright/core/transport'
import type { ServerOptions } from '@toolwright/server'
import type { Closing } from './connections/closing.js'
import type { ExtraEndpoint, mountOptions } from './mount/mount-options.js'
import type { Challenges } from './security/challenge.js'

export interface MountOptions extends OptionsOf<typeof mountOptions> {}

/** Options of the plugin: mount options, and either the options of a new server or an existing `server`. */
export type McpPluginOptions = MountOptions & ((ServerOptions & { readonly server?: undefined }) | ServerMount)

/** A server that already exists. The plugin does not close this server. */
export interface ServerMount {
  readonly server: McpServer
}

export interface MountedOptions extends MountOptions, ServerMount {
  readonly prefix?: string
  /** Whether the endpoint also has a route with a trailing slash. Default: false. */
  readonly answersSlash?: boolean
}

export type ReadMountedOptions = Omit<MountedOptions, keyof MountOptions> & ReadOptions<typeof mountOptions>

export interface EndpointOptions {
  readonly server: RunningServer
  readonly sessions: boolean
  readonly streamAnswers: boolean
  readonly retryMs: number
  readonly keepAliveMs: number
  readonly closing: Closing
  readonly challenges: Challenges
}

export function pathOf(option: boolean | ExtraEndpoint | undefined, path: string): string | null {
  if (option === undefined || option === false) return null
  return option === true ? path : option.path
}

export function otherPaths({ legacySse, rpc, rpcEndpoints, webSocket }: ReadMountedOptions): readonly string[] {
  const sse = legacySse ? ['/sse'] : []
  const paths = [pathOf(rpc, '/rpc'), ...rpcEndpoints.map(({ path }) => path), pathOf(webSocket, '/ws')]
  return [...sse, ...paths.filter((path) => path !== null)]
}
