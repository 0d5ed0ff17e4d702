// The public API.
export type { ExtraEndpoint, McpPluginOptions, MountOptions, ServerMount } from './options.js'
export { mcp } from './plugin.js'
