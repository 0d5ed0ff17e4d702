// The public API.
export { type GatewayHostOptions, gateway } from './gateway.js'
export { type MicrosoftAiTool, toMcpTools, toMicrosoftAiTools } from './list-formats.js'
export type { GatewayHealth, GatewayOptions } from './options.js'
