// The public API.
export type { HealthCheck, HealthOptions } from './health/check-health.js'
export { health } from './health/health.js'
export type { CorsOptions, ExtraEndpoint, RpcEndpoint, Waiver } from './mount/mount-options.js'
export type { McpPluginOptions, MountOptions, ServerMount } from './options.js'
export { mcp } from './plugin.js'
