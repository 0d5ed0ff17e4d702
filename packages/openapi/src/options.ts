import type { AuthorizeOptions, MaybePromise, McpContext } from '@toolwright/core'
import {
  bytes,
  checkNames,
  count,
  custom,
  type Diagnostics,
  flag,
  isObject,
  milliseconds,
  type OptionsOf,
  oneOf,
  type ReadOptions,
  readNamedOptions,
  required,
  strings,
  text,
} from '@toolwright/core/options'
import { Exchange } from './exchange.js'
import type { OpenApiOperation } from './operation.js'
import { isSelector, type OperationFilter, type OperationSelector, selectorNames } from './selectors.js'
import type { Credentials } from './send.js'

/** Returns the credentials of the caller at the API. The model gets the message of a `ToolError`. */
export type AuthFunction = (context: McpContext, operation: OpenApiOperation) => MaybePromise<Credentials>

export interface OperationRule extends OperationSelector {
  /** Same as `@Authorize`. */
  readonly authorize?: AuthorizeOptions
  /** Same as `@AllowAnonymous()`. */
  readonly allowAnonymous?: boolean
}

/** New names of tools, by `operationId` or by method and path, or a function. */
export type Rename = Readonly<Record<string, string>> | ((operation: OpenApiOperation) => string | undefined)

export const openApiOptions = {
  /** The document: a path, a URL of a file, an object, or, with `allowRemote`, an `https:` URL. */
  document: required(
    custom<string | URL | object, string | URL | object>('path, `URL` or object', checkDocumentOption),
  ),
  /** Name of the source, for messages, the log and reports. Default: the file name of the document, otherwise `openapi`. */
  name: text({ pattern: /\S/, fix: "Give a string, such as 'shop'." }),
  /** Whether the document can be read from the network. Default: false. */
  allowRemote: flag({ default: false }),
  /** URL of the API. Replaces the `servers` of the document. Default: `servers`. */
  baseUrl: custom<string | URL>('`string` or `URL`', checkBaseUrl),
  /** Selects the operations that become tools: `{ tags, methods, operations, deprecated }`, or a function. Default: all. */
  include: custom<OperationFilter>('selector or function', checkInclude),
  /** New names of tools, by `operationId` or `GET /path`, or a function of the operation. Default: the `operationId`. */
  rename: custom<Rename>('object or function', checkRename),
  /** Prefix of each tool's name, such as `shop_`. Default: none. */
  prefix: text({
    pattern: /^[A-Za-z0-9_.-]{0,32}$/,
    fix: "Give letters, digits, '_', '-' and '.', such as 'shop_'.",
  }),
  /**
   * Credentials of the caller at the API: `'none'`, a function of the caller, or `exchange({ … })`. Nothing of the caller's
   * request is forwarded.
   */
  auth: required(
    custom<'none' | AuthFunction | Exchange, 'none' | AuthFunction | Exchange>(
      "`'none'`, function or `exchange()`",
      checkAuth,
    ),
  ),
  /** Access rules of the tools. The first rule that selects an operation applies. Default: the server's default rule. */
  rules: custom<readonly OperationRule[], readonly OperationRule[]>('`OperationRule[]`', checkRules, { default: [] }),
  /** Maximum number of tools: a model cannot choose among hundreds of tools. Default: 40. */
  maxTools: count({ default: 40 }),
  /** Hosts that can have private addresses, such as `localhost`. Default: none. */
  allowPrivate: strings(),
  /** Duration of a request, with all attempts. Default: 30,000. */
  timeoutMs: milliseconds({ default: 30_000 }),
  /** Maximum size of an answer. Default: 1 MiB. */
  maxAnswerBytes: bytes({ default: 1024 * 1024 }),
  /**
   * Further attempts of GET, PUT and DELETE after a failed connection, or after 503 with `Retry-After`. POST and PATCH are never
   * repeated. Default: 2.
   */
  maxRetries: count({ default: 2, min: 0, max: 5 }),
  /**
   * `report`: an answer that deviates from the schema of the document still reaches the model, and is logged once. `strict`: the
   * call fails. Default: `report`.
   */
  validate: oneOf(['report', 'strict'], { default: 'report' }),
}

export interface OpenApiOptions extends OptionsOf<typeof openApiOptions> {}

export type ReadOpenApiOptions = ReadOptions<typeof openApiOptions>

export function readOpenApiOptions(options: OpenApiOptions, diagnostics: Diagnostics): ReadOpenApiOptions {
  return readNamedOptions(openApiOptions, options, { prefix: 'openApi: ' }, diagnostics)
}

function checkDocumentOption(given: unknown, name: string, diagnostics: Diagnostics): boolean {
  if (typeof given === 'string' ? given !== '' : isObject(given)) return true
  diagnostics.addBadOption(name, given, "Give a path, such as './shop.yaml', a URL, or the document itself.")
  return false
}

function checkBaseUrl(given: unknown, name: string, diagnostics: Diagnostics): boolean {
  const href = given instanceof URL ? given.href : given
  if (typeof href === 'string' && /^https?:\/\//i.test(href) && URL.canParse(href)) {
    const { username, password, search, hash } = new URL(href)
    if ([username, password, search, hash].every((part) => part === '')) return true
    diagnostics.add('bad-option', `${name} has credentials, a query or a fragment. Give only the origin and a path.`)
    return false
  }
  diagnostics.addBadOption(name, given, "Give a URL, such as 'https://api.example.com/v1'.")
  return false
}

function checkInclude(given: unknown, name: string, diagnostics: Diagnostics): boolean {
  if (typeof given === 'function') return true
  if (isSelector(given)) {
    checkNames(given as object, selectorNames, diagnostics, { prefix: `${name}.` })
    return true
  }
  diagnostics.addBadOption(name, given, "Give an object, such as { tags: ['orders'] }, or a function of the operation.")
  return false
}

function checkRename(given: unknown, name: string, diagnostics: Diagnostics): boolean {
  if (typeof given === 'function') return true
  if (isObject(given) && Object.values(given).every((value) => typeof value === 'string')) return true
  diagnostics.addBadOption(name, given, 'Give an object with new names by operationId, or a function of the operation.')
  return false
}

function checkAuth(given: unknown, name: string, diagnostics: Diagnostics): boolean {
  if (given === 'none' || typeof given === 'function' || given instanceof Exchange) return true
  diagnostics.addBadOption(name, given, "Give 'none', a function that returns credentials, or exchange({ … }).")
  return false
}

function checkRules(given: unknown, name: string, diagnostics: Diagnostics): boolean {
  if (!Array.isArray(given)) {
    diagnostics.addBadOption(
      name,
      given,
      "Give an array, such as [{ tags: ['admin'], authorize: { roles: ['ops'] } }].",
    )
    return false
  }
  return (given as unknown[]).every((rule, index) => checkRule(rule, `${name}[${index}]`, diagnostics))
}

function checkRule(rule: unknown, name: string, diagnostics: Diagnostics): boolean {
  if (!isSelector(rule)) {
    diagnostics.addBadOption(name, rule, "Give an object, such as { tags: ['admin'], authorize: { roles: ['ops'] } }.")
    return false
  }
  checkNames(rule as object, [...selectorNames, 'authorize', 'allowAnonymous'], diagnostics, { prefix: `${name}.` })
  const { authorize, allowAnonymous } = rule as OperationRule
  if (authorize !== undefined || allowAnonymous === true) return true
  diagnostics.add('bad-option', `${name} has neither authorize nor allowAnonymous: true. Add one of them.`)
  return false
}
