// For clients: what both ends share. Nothing here may import a server: browsers bundle it.

export { type StreamMeta, streamsExtension } from './wire/messages.js'
export { StreamError } from './wire/stream-error.js'
