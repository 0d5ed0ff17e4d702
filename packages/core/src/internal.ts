// For the sibling packages of this repository only: anything here may change in any release.
export { ProtocolError, shorten } from './errors/protocol-error.js'
export { type Answer, Exchange } from './protocol/exchange.js'
export { revisionInHeader } from './protocol/legacy/legacy-era.js'
export { Peer } from './protocol/peer.js'
export { supportedVersions } from './protocol/revisions.js'
export { parseJson } from './rpc/parse-json.js'
export { errorResponse } from './rpc/respond.js'
export { McpServer } from './server.js'
