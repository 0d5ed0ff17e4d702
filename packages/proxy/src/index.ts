// The public API.

export type { ToolSettings, UpstreamHeaders, UpstreamOptions, Upstreams, UpstreamTool } from './options.js'
export { type ProxySource, proxy } from './proxy.js'
export type { UpstreamStatus } from './upstream.js'
