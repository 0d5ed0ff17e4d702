// The public API, in groups. A comment with a blank line below it keeps a group together when imports are sorted.

// Servers

export type { AuthorizationOptions } from './catalog/authorization/authorization-options.js'
export type { RequestsInFlight } from './limits/in-flight.js'
export type { StoreOwner } from './limits/limits.js'
export { defaultLimits, type Limits } from './limits/limits.js'
export type { RateLimit } from './limits/rate-limit.js'
export { InMemoryRateLimiter, type RateLimiter } from './limits/rate-limiter.js'
export type { CacheHints, ServerIdentity } from './protocol/dependencies.js'
export type { InProcessOptions } from './protocol/in-process/in-process.js'
export type { ElicitFunction } from './protocol/in-process/in-process-client.js'
export type {
  CallToolResult,
  CompleteParams,
  ListedPrompt,
  ListedResource,
  ListedResourceTemplate,
  ListedTool,
  ReadResourceResult,
} from './protocol/in-process/results.js'
export { isJsonObject, type JsonObject, type RequestId } from './rpc/messages.js'
export { createServer } from './server/create-server.js'
export type { McpServer } from './server/mcp-server.js'
export type { ServerOptions } from './server/options.js'
export type { MaybePromise } from './timing/maybe-promise.js'
export { connectInMemory, type InMemoryClient, type InMemoryOptions } from './transports/in-memory.js'

// Decorators

export { type AccessDecorator, AllowAnonymous, Authorize } from './decorators/authorize.js'
export { Inject, type InjectOptions, inject, injectAll } from './decorators/inject.js'
export {
  type CompletionMethod,
  type CompletionRequest,
  type CompletionResult,
  type CompletionReturned,
  McpCompletion,
} from './decorators/mcp-completion.js'
export { McpController } from './decorators/mcp-controller.js'
export { McpPrompt, type PromptMethod, type PromptReturned } from './decorators/mcp-prompt.js'
export { McpResource, type ResourceMethod, type TemplateVariables } from './decorators/mcp-resource.js'
export { McpTool, type Returned, type ToolDecorator, type ToolMethod } from './decorators/mcp-tool.js'
export type { MethodDecoratorFor } from './decorators/record-method.js'
export { UseHooks } from './decorators/use-hooks.js'
export type {
  AuthorizeOptions,
  ControllerOptions,
  PromptOptions,
  ResourceOptions,
  ToolOptions,
} from './metadata/feature-options.js'
export type {
  Class,
  CompletionTarget,
  Icon,
  ResourceUi,
  ToolAnnotations,
  ToolUi,
  UiOrigins,
  UiPermissions,
} from './metadata/types.js'

// Schemas

export { type StandardSchema, type Static, type StaticDecode, Type } from '@toolwright/schema'
export { listed } from './catalog/define/listed-schema.js'
export { type AnyModelClass, type Infer, type InputSchema, Model, type ModelClass, type OutputSchema } from './model.js'

// Requests and results

export { type KeyedPageOptions, type Page, type PageOptions, paginate } from './call/paginate.js'
export {
  type AudioContent,
  appMimeType,
  assistantMessage,
  audio,
  type CallResult,
  type CallResultInit,
  type ContentAnnotations,
  type ContentBlock,
  type ContentOptions,
  type EmbeddedResource,
  embeddedResource,
  type ImageContent,
  image,
  type PromptMessage,
  type PromptResult,
  type ResourceContents,
  type ResourceLink,
  resourceLink,
  result,
  type TextContent,
  text,
  userMessage,
} from './content.js'
export type { CallNotes } from './context/call-notes.js'
export type { LoggingLevel } from './context/logging-level.js'
export { type ClientInfo, McpContext, type RequestHeaders } from './context/mcp-context.js'
export type { ProgressUpdate } from './context/progress.js'

// Asking the client

export type { ClientRequestMethod, ClientRequestOptions, InputRequest } from './client-requests/client-request.js'
export {
  acceptedContent,
  type ElicitOptions,
  type ElicitRequest,
  type ElicitResult,
  type ElicitUrlOptions,
  type ElicitUrlResult,
} from './client-requests/elicitation.js'
export type { FormContent, FormSchema } from './client-requests/form-schema.js'
export { InputRequired, type InputRequiredInit, inputRequired } from './client-requests/input-required.js'
export type { Root } from './client-requests/roots.js'
export type {
  SampleOptions,
  SampleResult,
  SamplingContent,
  SamplingMessage,
  SamplingTool,
  ToolResultContent,
  ToolUseContent,
} from './client-requests/sampling.js'

// The catalog, its changes and reports

export type {
  AddedCompletion,
  AddedPrompt,
  AddedResource,
  AddedTool,
  CatalogReplacement,
} from './catalog/added-features.js'
export type { AddedAccess } from './catalog/authorization/authorization-resolver.js'
export { Catalog } from './catalog/catalog.js'
export type {
  CompletionDefinition,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  ToolDefinition,
} from './catalog/definitions.js'
export type { FeatureRegistry } from './catalog/feature-registry.js'
export type { Tagged } from './catalog/read-selection.js'
export type { LeftOut } from './catalog/scan/list-modules.js'
export type { ScannedModule } from './catalog/scan/scan-modules.js'
export {
  type Change,
  type ChangeBus,
  Changes,
  type EnabledChange,
  InProcessChangeBus,
  type OwnNotification,
} from './context/changes.js'
export type { EnabledDecision } from './context/enabled-decision.js'
export type { NotifyOptions } from './context/notify-options.js'
export type { CatalogReport, ExplainedFeature, ExplainedTool } from './server/reports.js'
export type { FeatureSource, SourceServer } from './server/sources/feature-source.js'
export { type MountSettings, mount } from './server/sources/mount.js'
export type { ExplainedSource, SourceReport } from './server/sources/source-report.js'

// Callers and authorization

export type {
  AuthorizationPolicy,
  AuthorizationRequest,
  Policy,
  PolicyClass,
  PolicyFunction,
  RequestedFeature,
} from './authorization/policy.js'
export type { AuthenticationRequest, Authenticator, ResourceMetadata } from './context/authenticator.js'
export type { LoginStore } from './context/login-store.js'
export { type Caller, type Principal, principalKey } from './context/principal.js'
export type { ProofStore, ProofUse } from './context/proof-store.js'
export type { EnabledFunction, Recipient, TransportName, Viewer } from './context/viewer.js'
export type {
  AccessOutcome,
  AuthorizationMatrix,
  MatrixCaller,
  MatrixOptions,
  MatrixRow,
} from './server/reports.js'

// Errors

export {
  AuthenticationError,
  type AuthenticationErrorInit,
  type AuthenticationFailure,
  type AuthenticationScheme,
} from './errors/authentication-error.js'
export { type BootDiagnostic, type BootDiagnosticCode, BootError, bootDiagnosticCodes } from './errors/boot-error.js'
export { ToolError } from './errors/call-errors.js'
export { ClientRequestError, MissingCapabilityError } from './errors/client-request-errors.js'
export { type WireErrorName, wireErrors } from './errors/codes.js'
export { ForbiddenError } from './errors/forbidden-error.js'
export { LimitError } from './errors/limit-error.js'
export { InvalidParamsError, ProtocolError, ResourceNotFoundError } from './errors/protocol-error.js'
export type {
  ExtendedServer,
  ExtendedSocket,
  OpenSocketHandler,
  SocketHandler,
} from './protocol/extensions/extended-socket.js'
export type {
  ExtendedList,
  Extension,
  ExtensionMethod,
  ExtensionMethodOptions,
  ExtensionUsers,
} from './protocol/extensions/extension.js'

// Hooks and metrics

export type { CallHook, CallHookClass, HookReference } from './hooks/call-hook.js'
export { errorIdOfFailure, type FailureKind, failureKindOf, failureKinds, HookFailure } from './hooks/failures.js'
export type { FeatureCall, FeatureKind } from './hooks/feature-call.js'
export { type Gauge, Gauges } from './metrics/gauges.js'
export type { Gauged } from './metrics/metric.js'
export type { ServerMetrics } from './server/metrics.js'

// Stores and buses that nodes can share

export { InMemoryRoundStore } from './protocol/modern/in-memory-round-store.js'
export type { RoundEntry, RoundRunKey, RoundStore } from './protocol/modern/round-store.js'

// Injection

export {
  type DependencyContainer,
  delay,
  globalContainer as container,
  type InjectionToken,
  instanceCachingFactory,
  instancePerContainerCachingFactory,
  Lifecycle,
  predicateAwareClassFactory,
} from './container/tsyringe.js'
export { injectable, scoped, singleton } from './decorators/inject.js'
