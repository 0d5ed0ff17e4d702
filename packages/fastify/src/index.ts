// The public API.
export { type HealthCheck, type HealthOptions, health } from './health/health.js'
export type { CorsOptions, ExtraEndpoint, McpPluginOptions, MountOptions, ServerMount, Waiver } from './options.js'
export { mcp } from './plugin.js'
