// The public API.
export type { McpPluginOptions, MountOptions, ServerMount } from './options.js'
export { mcp } from './plugin.js'
