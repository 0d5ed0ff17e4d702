// Exports for packages that add a capability and its options to a server.

export {
  checkShape,
  collectMembers,
  compileStandard,
  compileTypeBox,
  describeErrors,
  isStandardSchema,
  namesIn,
  SchemaError,
  type TObject,
  type ValidationError,
} from '@toolwright/schema'
export { requireAccess } from './authorization/access-rule.js'
export { fromTexts } from './call/from-texts.js'
export { ListPages } from './call/list-pages.js'
export { requireNoPromise } from './errors/run-fenced.js'
export { declaredSettings } from './protocol/client-requests/client-capabilities.js'
export type { DetachableCall } from './protocol/detached-call.js'
export { listResource, listTool } from './protocol/encode/encode-definitions.js'
export type { MessageReceiver, ReceivingServer } from './protocol/extensions/extension.js'
export { ForwardedExchange } from './protocol/forwarded-exchange.js'
export { type SessionServer } from './protocol/legacy/session.js'
export { describeInvalidSession, type StoredSession } from './protocol/legacy/stored-session.js'
export { readString } from './rpc/messages.js'
export { type PartServices, type ServerPart } from './server/server-part.js'
