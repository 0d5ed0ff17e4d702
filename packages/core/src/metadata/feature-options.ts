import type { Policy } from '../authorization/policy.js'
import type { ContentAnnotations } from '../content.js'
import { type EnabledFunction, transportNames } from '../context/viewer.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import { rateLimited, rateLimitOptions } from '../limits/rate-limit.js'
import type { InputSchema, OutputSchema } from '../model.js'
import { count, custom, flag, number, oneOf, someOf, strings, text, unchecked } from '../options/kinds.js'
import type { OptionsOf } from '../options/option.js'
import type { JsonObject } from '../rpc/messages.js'
import type { Icon, ResourceUi, ToolAnnotations, ToolUi } from './types.js'

// Options of the decorators. To add an option, add a row here, and read it from the definition where it takes effect.

function checkEnabled(given: unknown, name: string, diagnostics: Diagnostics): boolean {
  if (Object.prototype.toString.call(given) === '[object AsyncFunction]') {
    const fix = 'Give a function that returns true or false at once, or use a policy.'
    diagnostics.add('bad-option', `${name} is an async function, but each list would wait for it. ${fix}`)
    return false
  }
  if (typeof given === 'boolean' || typeof given === 'function') return true
  diagnostics.addBadOption(name, given, 'Give true, false, or a function that takes the viewer.')
  return false
}

const whetherEnabled = custom<boolean | EnabledFunction, true>('`boolean` or `(viewer) => boolean`', checkEnabled, {
  default: true,
})

const schemaOfObjects = 'a TypeBox schema of objects, a `Model` class or a `StandardSchema`'

export const sharedOptions = {
  /** Programmatic name. Default: the method's name in snake_case. */
  name: unchecked<string>('`string`'),
  /** Display name. */
  title: unchecked<string>('`string`'),
  /** Purpose of the feature, for the model and users. */
  description: unchecked<string>('`string`'),
  /** Pictures: `src` (an `https:` or `data:` URI), `mimeType`, `sizes`, `theme`. Sent from 2025-11-25 on. */
  icons: unchecked<readonly Icon[]>('`Icon[]`'),
  /** Additional data for clients, sent in lists. */
  _meta: unchecked<JsonObject>('an object'),
  /**
   * Transports that serve the feature. Other transports do not list the feature, and reject its calls. Default: the transports of
   * the controller, otherwise all.
   * @see docs/how-to/serve-over-stdio.md#keep-features-off-the-network
   */
  transports: someOf(transportNames, { default: null }),
  /** Names of groups of features, for `catalog.enable` and `catalog.disable`, in addition to the tags of the controller. */
  tags: strings(),
  /**
   * Whether the feature is shown, or a function that decides for each caller. To other callers, the feature does not exist. The
   * controller's `enabled` applies as well. Default: true.
   * @see docs/how-to/show-features-to-some-callers.md
   */
  enabled: whetherEnabled,
}

export const toolOnlyOptions = {
  /** Hints for clients. */
  annotations: unchecked<ToolAnnotations>('[`ToolAnnotations`](#annotations-of-a-tool)'),
  /**
   * Schema of the arguments (the method's first parameter). Default: no arguments.
   * @see docs/how-to/use-zod-valibot-or-arktype.md
   */
  input: unchecked<InputSchema>(schemaOfObjects),
  /** Schema of the return value. */
  output: unchecked<OutputSchema>('any TypeBox schema, a `Model` class or a `StandardSchema`'),
  /** A plain JSON Schema instead of `input`. */
  inputSchema: unchecked<JsonObject>('JSON Schema'),
  /** A plain JSON Schema instead of `output`. */
  outputSchema: unchecked<JsonObject>('JSON Schema'),
  /** Timeout of a call, after which its signal aborts. `Infinity` for no limit. Default: `limits.callTimeoutMs`. */
  timeoutMs: number({ type: 'ms', min: Number.MIN_VALUE, fix: 'Give a number of milliseconds above 0.' }),
  /** Maximum size of a result. Can exceed the server's limit. Default: `limits.maxResultBytes`. */
  maxResultBytes: number({ type: 'bytes' }),
  /**
   * Whether calls can or must run as tasks (2026-07-28). Clients without task support wait for the result of an `optional` tool,
   * and cannot call a `required` tool. Default: never.
   * @see docs/how-to/run-long-work-as-a-task.md
   */
  task: oneOf(['optional', 'required'], { default: null }),
  /**
   * When a call becomes a task: before its handler runs, or when the handler calls `context.startTask()`. Default:
   * `at-once`.
   */
  taskStart: oneOf(['at-once', 'by-handler']),
  /**
   * Maximum number of concurrent calls of all callers together, including timed-out calls whose handler still runs. Further calls
   * are rejected. Default: no limit.
   * @see docs/how-to/limit-load.md
   */
  maxConcurrent: count({
    default: Infinity,
    max: Number.MAX_SAFE_INTEGER,
    fix: 'Give a whole number of at least 1.',
  }),
  /**
   * Maximum number of calls in a time window, per `caller` (the default) or per `tool`. Default: no limit.
   * @see docs/how-to/limit-load.md
   */
  rateLimit: rateLimited({ ...rateLimitOptions, per: oneOf(['caller', 'tool'], { default: 'caller' }) }),
  /**
   * Whether control characters and invisible tag characters are sent unchanged. Default: false.
   * @see docs/how-to/return-results.md#hidden-and-untrusted-text
   */
  rawText: flag({ default: false }),
  /**
   * Whether results are marked as third-party text. Default: false.
   * @see docs/how-to/return-results.md#hidden-and-untrusted-text
   */
  untrusted: flag({ default: false }),
  /** The page of an MCP App for the tool's results, and the allowed callers of the tool. */
  ui: unchecked<ToolUi>('[`ToolUi`](#pages-of-apps)'),
}

export const toolOptions = { ...sharedOptions, ...toolOnlyOptions }

/** Options of `@McpTool` and of `catalog.addTool`. */
export interface ToolOptions<
  Input extends InputSchema | undefined = InputSchema | undefined,
  Output extends OutputSchema | undefined = OutputSchema | undefined,
> extends OptionsOf<typeof toolOptions> {
  readonly input?: Input
  readonly output?: Output
}

export const promptOnlyOptions = {
  /**
   * Schema of the arguments. Clients send strings, which are converted to numbers, booleans and arrays of one item.
   * Default: no arguments.
   */
  input: unchecked<InputSchema>(schemaOfObjects),
}

export const promptOptions = { ...sharedOptions, ...promptOnlyOptions }

/** Options of `@McpPrompt` and of `catalog.addPrompt`. */
export interface PromptOptions<Input extends InputSchema | undefined = InputSchema | undefined>
  extends OptionsOf<typeof promptOptions> {
  readonly input?: Input
}

export const resourceOnlyOptions = {
  /**
   * Media type. A `ui://` resource always has `text/html;profile=mcp-app`. Default: `text/plain` for text,
   * `application/json` for other data, `application/octet-stream` for bytes.
   */
  mimeType: unchecked<string>('`string`'),
  /** `audience`, `priority`, and `lastModified` with seconds and time zone: `2026-01-31T09:00:00Z`. */
  annotations: unchecked<ContentAnnotations>('an object'),
  /** Size, if known in advance. Templates have no size. */
  size: unchecked<number>('bytes'),
  /** Display options of an app's page. */
  ui: unchecked<ResourceUi>('[`ResourceUi`](#pages-of-apps)'),
  /** Schema of a template's variables. Variables are converted like arguments of prompts. Default: all are strings. */
  input: unchecked<InputSchema>(schemaOfObjects),
}

export const resourceOptions = { ...sharedOptions, ...resourceOnlyOptions }

/** Options of `@McpResource` and of `catalog.addResource`, for a resource or a resource template. */
export interface ResourceOptions<Input extends InputSchema | undefined = InputSchema | undefined>
  extends OptionsOf<typeof resourceOptions> {
  readonly input?: Input
}

export const completionOptions = {
  /** Name of the prompt that has the argument. */
  prompt: unchecked<string>('`string`'),
  /** URI template that contains the variable. */
  resource: unchecked<string>('`string`'),
  /** Name of the argument or variable. */
  argument: unchecked<string>('`string`'),
}

export const controllerOptions = {
  /** Prefix for the names of the class's features: `'calc_'` turns `add` into `calc_add`. */
  prefix: text({ fix: "Give a string, such as 'calc_'." }),
  /** Whether the class is only a base class. A scan serves only its subclasses. Default: false. */
  abstract: flag({ default: false }),
  /** Transports that serve the features of the class, unless a feature has its own `transports`. Default: all. */
  transports: someOf(transportNames, { default: null }),
  /** Names of groups to which all features of the class belong, for `catalog.enable` and `catalog.disable`. */
  tags: strings(),
  /**
   * Whether the features of the class are shown, or a function that decides for each caller. Default: true.
   * @see docs/how-to/show-features-to-some-callers.md
   */
  enabled: whetherEnabled,
}

/** Options of `@McpController`, which all features of a class share. */
export interface ControllerOptions extends OptionsOf<typeof controllerOptions> {}

export const authorizeOptions = {
  /** The caller needs at least one of these roles. Case-insensitive for A to Z. Default: any authenticated caller. */
  roles: unchecked<readonly string[]>('`string[]`'),
  /** The caller needs all of these scopes. */
  scopes: unchecked<readonly string[]>('`string[]`'),
  /** Allows or rejects each call by caller and arguments. */
  policy: unchecked<Policy>('a function, or a class with a method `allows`'),
}

/** Options of `@Authorize`. A caller must meet every option that is set. */
export interface AuthorizeOptions extends OptionsOf<typeof authorizeOptions> {}
