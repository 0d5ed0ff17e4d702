// Code that clients and servers share. This code must not import server code, because browsers bundle it.

export { type StreamMeta, streamsExtension } from './wire/messages.js'
export { StreamError } from './wire/stream-error.js'
