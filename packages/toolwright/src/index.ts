// Everything a server needs, in one import.
export * from '@toolwright/core'
export { type StdioOptions, serveStdio } from '@toolwright/core/stdio'
export {
  type ExtraEndpoint,
  type McpPluginOptions,
  type MountOptions,
  mcp,
  type ServerMount,
} from '@toolwright/fastify'
export { createHost, type HostOptions } from './create-host.js'
export { serve } from './serve.js'
