// The public API.
export { findBindProblem, findMountProblems } from './check-mount.js'
export { type HealthCheck, type HealthOptions, health } from './health.js'
export type { CorsOptions, McpPluginOptions, MountOptions, ServerMount, Waiver } from './options.js'
export { mcp } from './plugin.js'
