// The public API.
export { findBindProblem, findMountProblems } from './check-mount.js'
export { type HealthCheck, type HealthOptions, health } from './health.js'
// For hosts that are built on the plugin.
export { closeWhereAuthenticated, mountHost, omitMountOptions, pickMountOptions } from './mount-host.js'
export type { CorsOptions, ExtraEndpoint, McpPluginOptions, MountOptions, ServerMount, Waiver } from './options.js'
export { mcp } from './plugin.js'
