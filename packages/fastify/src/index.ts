// The public API.
export { type HealthCheck, type HealthOptions, health } from './health.js'
// For hosts that are built on the plugin.
export { closeWhereAuthenticated, mountHost, omitMountOptions, pickMountOptions } from './mount-host.js'
export { findBindProblem } from './open-bind.js'
export type { CorsOptions, ExtraEndpoint, McpPluginOptions, MountOptions, ServerMount, Waiver } from './options.js'
export { mcp } from './plugin.js'
