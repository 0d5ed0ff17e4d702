// The public API.

// For hosts that are built on the plugin.
export { mountHost, omitMountOptions, pickMountOptions } from './mount-host.js'
export type { ExtraEndpoint, McpPluginOptions, MountOptions, ServerMount } from './options.js'
export { mcp } from './plugin.js'
