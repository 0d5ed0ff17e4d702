// The public API.

export type { ClientStream, StreamOptions } from '@toolwright/streams/client'
export { StreamError } from '@toolwright/streams/wire'
export type { RawRequestOptions, RawResult } from './calls/raw-request.js'
export type { TaskState } from './calls/tasks.js'
export type { CallOptions, ToolCall } from './calls/tool-call.js'
export { type McpClient } from './client.js'
export { connect } from './connect.js'
export type { Credentials } from './credentials.js'
export {
  ClientError,
  ConnectionError,
  CredentialsError,
  RequestTimeoutError,
  ServerError,
  ToolCallError,
  UnknownToolError,
} from './errors.js'
export type { EventStream } from './events/event-queue.js'
export type { ListName, LogMessage, LogOptions } from './events/events.js'
export type { AllOptions, ListOptions } from './lists.js'
export type { ConnectOptions, HandlerContext, ReconnectOptions, RequestOptions } from './options.js'
export type { ClassStreams } from './streams/class-streams.js'
export type { CommandTarget, Target } from './target.js'
export type { ClassTools, Json, NoArguments, ResultOf } from './tools/class-tools.js'
export type { ToolsOptions } from './tools/tool-proxy.js'
export type { AnyTools, ToolContent, ToolType, ToolTypes } from './tools/tool-types.js'
