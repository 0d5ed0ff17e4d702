// Exports for transports: see "Write a transport" in the docs. Changes of these exports follow semantic versioning.

export { whenExpired } from './context/when-expired.js'
export { type Answer } from './protocol/answer.js'
export { Exchange, type Sender } from './protocol/exchange.js'
export { errorResponse } from './rpc/messages.js'
export { parseJson } from './rpc/parse-json.js'
export { runningServer } from './server/mcp-server-instance.js'
export { RunningServer } from './server/running-server.js'
export { Connection } from './transports/connection.js'
export { idOfRejected, readInTurn } from './transports/long-messages.js'
export { Outbox } from './transports/outbox.js'
