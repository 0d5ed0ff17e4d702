import { type Catalog, rulesOf } from '../../catalog/catalog.js'
import type { OwnNotification } from '../../context/changes.js'
import { type NotifyOptions, notifyOptions } from '../../context/notify-options.js'
import { describeValue } from '../../errors/describe-value.js'
import { Diagnostics } from '../../errors/diagnostics.js'
import { isObject } from '../../options/kinds.js'
import { readNamedOptions } from '../../options/option.js'
import type { JsonObject } from '../../rpc/messages.js'
import type { Extension } from '../extensions/extension.js'
import type { OfferedRevisions } from '../revisions.js'

const reserved = new Set(
  'cancelled elicitation initialized message progress prompts resources roots subscriptions tasks tools'.split(' '),
)

const ownName = /^notifications\/[\w.-]+(?:\/[\w.-]+)*$/

export function rejectName(method: unknown): string | null {
  const fix = "Give a name such as 'notifications/acme/price'."
  if (typeof method !== 'string' || method.length > 128 || !ownName.test(method)) return `is not a valid name. ${fix}`
  return reserved.has(method.split('/')[1] as string) ? `belongs to the protocol. ${fix}` : null
}

interface NotificationDependencies {
  readonly catalog: Catalog
  readonly revisions: OfferedRevisions
  readonly extensions: readonly Extension[]
  readonly notifyChanges: boolean
  readonly maxBytes: number
  readonly node: string
}

/**
 * Checks a notification of the application, and finds the callers who are allowed to receive the notification. @throws BootError
 * that lists all mistakes
 */
export function createNotification(
  method: string,
  params: JsonObject,
  options: NotifyOptions,
  dependencies: NotificationDependencies,
): OwnNotification {
  const { catalog, node } = dependencies
  const diagnostics = new Diagnostics()
  const rejection = rejectName(method)
  if (rejection !== null) {
    diagnostics.add('bad-option', `The method ${describeValue(method).replace('the string ', '')} ${rejection}`)
  }
  const copy = copyParams(params, dependencies.maxBytes, diagnostics)
  const read = readNamedOptions(notifyOptions, isObject(options) ? options : {}, { prefix: 'notify: ' }, diagnostics)
  // An explicit `undefined` is probably a mistake, and would notify all clients.
  if ('sessionId' in options && options.sessionId === undefined)
    notifyOptions.sessionId.read(options.sessionId, 'notify: sessionId', diagnostics)
  const { sessionId, roles, scopes, allowAnonymous } = read
  const isGuarded = roles.length + scopes.length > 0
  if (isGuarded && allowAnonymous) {
    diagnostics.add(
      'bad-option',
      'notify: allowAnonymous contradicts roles and scopes. Leave out allowAnonymous, or both roles and scopes.',
    )
  }
  reportCarrier(method, sessionId !== undefined, dependencies, diagnostics)
  const isOpen = !isGuarded && (allowAnonymous || sessionId !== undefined)
  const audience = isOpen ? null : rulesOf(catalog).audienceOf(isGuarded ? { roles, scopes } : null, diagnostics)
  diagnostics.throwIfAny('The notification cannot be sent')
  return {
    kind: 'notification',
    method,
    params: copy,
    ...(audience === null ? {} : { audience }),
    ...(sessionId === undefined ? {} : { sessionId }),
    node,
  }
}

function copyParams(params: JsonObject, maxBytes: number, diagnostics: Diagnostics): JsonObject {
  try {
    if (!isObject(params)) throw new TypeError(`they are ${describeValue(params)}`)
    const json = JSON.stringify(params)
    const bytes = Buffer.byteLength(json)
    if (bytes <= maxBytes) return JSON.parse(json) as JsonObject
    diagnostics.add('bad-option', `The params have ${bytes} bytes as JSON. Give at most ${maxBytes}.`)
  } catch (error) {
    diagnostics.add('bad-option', `The params are not a JSON object: ${(error as Error).message}. Give a JSON object.`)
  }
  return {}
}

function reportCarrier(
  method: string,
  isForSession: boolean,
  { revisions, extensions, notifyChanges }: NotificationDependencies,
  diagnostics: Diagnostics,
): void {
  if (!notifyChanges) {
    diagnostics.add('bad-option', 'The option notifyChanges is false, so clients get no notifications. Leave it out.')
  }
  if (revisions.latestLegacy !== null) return
  const offered = revisions.versions.join(', ')
  if (isForSession) {
    diagnostics.add('bad-option', `Clients of ${offered} have no sessions. Use context.sendNotification during a call.`)
  } else if (!extensions.some(({ notifications = [] }) => notifications.includes(method))) {
    const fix = 'Declare the method in `notifications` of an extension.'
    diagnostics.add(
      'bad-option',
      `Clients of ${offered} only accept notifications of the protocol and of extensions. ${fix}`,
    )
  }
}
