// The public API: a server with all capabilities that `toolwright` has.

export { canShowApps } from './apps/apps-extension.js'
export { createServer } from './create-server.js'
export {
  type AiSdkOptions,
  type AiSdkTool,
  type AnthropicTool,
  type OpenAiResponsesTool,
  type OpenAiTool,
  type ToolListFormat,
  toAiSdkTools,
  toAnthropicTools,
  toOllamaTools,
  toOpenAiResponsesTools,
  toOpenAiTools,
  toolListFormats,
} from './list-formats/tool-list-formats.js'
export { originalToolName } from './list-formats/vendor-names.js'
export type { ServerOptions } from './options.js'
export { type Environment, loadConfig } from './program/load-config.js'
