// The public API: a server with all capabilities that `toolwright` has.

export {
  type EventStore,
  InMemorySessionStore,
  type SessionNode,
  type SessionRecord,
  type SessionStore,
  type SessionStoreLimits,
  type StoredEvent,
  type StreamKey,
  type StreamPage,
} from '@toolwright/sessions'
export {
  InMemoryTaskStore,
  InProcessTaskBus,
  type Task,
  type TaskBus,
  type TaskError,
  type TaskStatus,
  type TaskStore,
  TaskStoreFull,
  type TaskStoreLimits,
} from '@toolwright/tasks'
export type { AgentCall, AgentToolOptions } from './agents/options.js'
export type { AiSdkAgentOptions, AiSdkOutput, AiSdkPart, AiSdkServerTool } from './agents/to-ai-sdk-tools.js'
export { type LangChainOptions, toLangChainTools } from './agents/to-lang-chain-tools.js'
export { type OpenAiAgentsOptions, toOpenAiAgentsTools } from './agents/to-open-ai-agents-tools.js'
export { canShowApps } from './apps/apps-extension.js'
export { createServer } from './create-server.js'
export { loggingHook } from './hooks/logging-hook.js'
export { type FeatureMetrics, MetricsHook } from './hooks/metrics-hook.js'
export {
  type AiSdkOptions,
  type AiSdkTool,
  type AnthropicTool,
  type OpenAiResponsesTool,
  type OpenAiTool,
  type ToolListFormat,
  toAnthropicTools,
  toOllamaTools,
  toOpenAiResponsesTools,
  toOpenAiTools,
  toolListFormats,
} from './list-formats/tool-list-formats.js'
export type { ServerOptions } from './options.js'
export { type Environment, loadConfig } from './program/load-config.js'
export { toAiSdkTools } from './to-ai-sdk-tools.js'
export { originalToolName } from './vendor-names.js'
