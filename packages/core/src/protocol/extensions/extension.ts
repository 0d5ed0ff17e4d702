import type { Catalog } from '../../catalog/catalog.js'
import { appsExtension } from '../../context/apps.js'
import type { McpContext } from '../../context/mcp-context.js'
import type { Principal } from '../../context/principal.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import type { InFlight } from '../../limits/in-flight.js'
import { isObject, isStringList } from '../../options/kinds.js'
import type { JsonObject } from '../../rpc/messages.js'
import type { MaybePromise } from '../../timing/maybe-promise.js'
import type { Exchange } from '../exchange.js'
import { rejectName } from '../notification-names.js'
import type { ExtendedServer, OpenSocketHandler } from './extended-socket.js'
import { skillsExtension } from './skills/skills-extension.js'
import { tasksExtension } from './tasks/tasks-extension.js'

/** Lists whose entries an extension can add to. */
export type ExtendedList = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

/**
 * Serves a method of an extension: returns the members of its result. A `ProtocolError` is sent to the client. Any
 * other error is logged, and the client gets an internal error.
 */
export type ExtensionMethod = (params: JsonObject, context: McpContext) => MaybePromise<JsonObject>

/** Parts of the server that a {@link MessageReceiver} may use. */
export interface ReceivingServer {
  readonly catalog: Catalog
  /** Counts the requests that a receiver makes of notifications. Other requests are counted by their transport. */
  readonly inFlight: InFlight
}

/**
 * Receives a message before the server does. Calls `next` with the same exchange, or with a `ForwardedExchange` that has
 * another message or changes the answer; or answers it. The checks of access, limits and arguments come after `next`.
 */
export type MessageReceiver = (exchange: Exchange, next: (exchange: Exchange) => void, server: ReceivingServer) => void

/** An addition to the protocol that clients can negotiate. Spec: extensions, "Negotiation". */
export interface Extension {
  /** Identifier with a vendor prefix: `com.example/quotas`. */
  readonly id: string
  /**
   * Returns the settings that the server declares under the identifier; `null` declares nothing to this caller. Legacy
   * clients get them under `experimental`. Default: `{}` for every caller.
   */
  readonly settings?: (principal: Principal | null) => JsonObject | null
  /**
   * Methods by name, such as `quotas/get`, in all revisions. They are subject to the server's default authorization
   * rule and to `limits.callTimeoutMs`. Default: none.
   */
  readonly methods?: Readonly<Record<string, ExtensionMethod>>
  /**
   * Names of the notifications that {@link Changes.notify} sends to modern clients which subscribe to the extension: in
   * `subscriptions/listen`, with its identifier as a member of `notifications` that is `true`. Default: none.
   */
  readonly notifications?: readonly string[]
  /**
   * Returns members to add to the `_meta` of list entries. Called when a list is serialized, not for each request.
   * Default: none.
   */
  readonly listedMeta?: Readonly<Partial<Record<ExtendedList, (entry: JsonObject) => JsonObject | undefined>>>
  /**
   * Receives each message of each transport, and each message of a batch, before the server does. The first extension
   * is the first receiver. Default: the server receives all messages.
   */
  readonly receive?: MessageReceiver
  /**
   * Whether a batch is accepted although its revision, before 2026, has no batches. Default: only where the revision has
   * them.
   */
  readonly acceptsBatch?: (batch: Exchange) => boolean
  /**
   * Serves frames of WebSockets that are not JSON-RPC. Called once for each endpoint with WebSockets; the returned
   * function is called for each WebSocket. Default: all text frames are JSON-RPC, and a binary frame closes the WebSocket.
   */
  readonly webSocket?: (server: ExtendedServer) => OpenSocketHandler
}

/** First parts of method names that belong to the protocol. */
const reserved = new Set(
  'initialize ping notifications tools prompts resources completion logging server subscriptions tasks skills sampling elicitation roots rpc'.split(
    ' ',
  ),
)

/** Identifiers of the extensions that the server has itself. */
const builtIn: readonly string[] = [tasksExtension, appsExtension, skillsExtension]

const lists: readonly string[] = ['tools', 'prompts', 'resources', 'resourceTemplates'] satisfies ExtendedList[]

/** Reports malformed extensions, duplicates, and names of the protocol. @returns Whether it is a list. */
export function checkExtensions(extensions: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!Array.isArray(extensions)) {
    diagnostics.addBadOption(option, extensions, 'Give an array of objects with an id.')
    return false
  }
  const known = new Set<string>()
  const claim = (label: string): void => {
    if (known.has(label)) diagnostics.add('bad-option', `${label} is declared twice. Remove one of the two.`)
    known.add(label)
  }
  for (const [index, extension] of (extensions as unknown[]).entries()) {
    if (isObject(extension)) checkExtension(extension, `${option}[${index}]`, claim, diagnostics)
    else diagnostics.addBadOption(`${option}[${index}]`, extension, 'Give an object with an id.')
  }
  return true
}

function checkExtension(
  extension: Partial<Extension>,
  option: string,
  claim: (label: string) => void,
  diagnostics: Diagnostics,
): void {
  const {
    id,
    settings,
    receive,
    acceptsBatch,
    webSocket,
    methods = {},
    listedMeta = {},
    notifications = [],
  } = extension
  if (typeof id !== 'string' || !/^[a-z][\w.-]*\/[\w.-]+$/i.test(id)) {
    diagnostics.addBadOption(`${option}.id`, id, "Give a name with a vendor's prefix: 'com.example/quotas'.")
    return
  }
  const label = `extension '${id}'`
  claim(label)
  if (builtIn.includes(id)) diagnostics.add('bad-option', `${label} is built in. Give another id.`)
  checkFunctions(label, { settings, receive, acceptsBatch, webSocket }, diagnostics)
  for (const name of checkFunctions(`${label}: methods`, methods, diagnostics)) {
    claim(`method '${name}'`)
    if (reserved.has(name.split('/', 1)[0] as string)) {
      const fix = 'Start its name with your own prefix.'
      diagnostics.add('bad-option', `${label}: the method '${name}' belongs to the protocol. ${fix}`)
    }
  }
  if (!isStringList(notifications))
    diagnostics.addBadOption(`${label}: notifications`, notifications, 'Give an array of names.')
  else {
    for (const name of notifications) {
      const rejection = rejectName(name)
      if (rejection !== null) diagnostics.add('bad-option', `${label}: the notification '${name}' ${rejection}`)
    }
  }
  for (const list of checkFunctions(`${label}: listedMeta`, listedMeta, diagnostics)) {
    if (!lists.includes(list)) {
      diagnostics.add('bad-option', `${label}: listedMeta.${list} is not a list. Give one of ${lists.join(', ')}.`)
    }
  }
}

/** Reports values that are not functions. @returns The names of the members. */
function checkFunctions(option: string, members: unknown, diagnostics: Diagnostics): readonly string[] {
  if (!isObject(members)) {
    diagnostics.addBadOption(option, members, 'Give an object of functions by name.')
    return []
  }
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && typeof value !== 'function') {
      diagnostics.addBadOption(`${option}.${name}`, value, 'Give a function.')
    }
  }
  return Object.keys(members)
}
