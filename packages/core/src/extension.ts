// Exports for packages that add a capability with options of its own to a server.

export { requireAccess } from './authorization/access-rule.js'
export { ListPages } from './call/list-pages.js'
export { readString } from './call/steps.js'
export { requireNoPromise } from './errors/run-fenced.js'
export { declaredSettings } from './protocol/client-capabilities.js'
export { listResource, listTool } from './protocol/encode-definitions.js'
export { checkShape } from './schema/check-shape.js'
export { collectMembers } from './schema/members.js'
export { type ServerPart } from './server/server-part.js'
