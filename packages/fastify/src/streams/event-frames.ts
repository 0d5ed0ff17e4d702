import { Readable } from 'node:stream'
import type { SessionReader, StreamEvent } from '@toolwright/core/host'
import type { FastifyReply } from 'fastify'
import { boundWaiting } from '../connections/pipelining.js'
import type { EndpointOptions } from '../options.js'
import { sendStream } from './event-stream.js'
import { whenClosed } from './when-closed.js'

type Sending = Pick<EndpointOptions, 'server' | 'retryMs' | 'keepAliveMs'>

/** Bytes that are buffered ahead of the client. Later events stay in the event store. */
const readAheadBytes = 16_384

export function sendEvents(reply: FastifyReply, reader: SessionReader, sending: Sending): FastifyReply {
  whenClosed(reply, () => reader.close())
  const frames = Readable.from(framesOf(reply, reader, sending), { objectMode: false, highWaterMark: readAheadBytes })
  return sendStream(reply, frames, sending)
}

async function* framesOf(
  reply: FastifyReply,
  reader: SessionReader,
  { server, retryMs, keepAliveMs }: Sending,
): AsyncGenerator<string> {
  for (;;) {
    // If the store fails, the client gets an error, or its stream is cut if the headers have been sent.
    // oxlint-disable-next-line no-await-in-loop
    const events = await reader.next(keepAliveMs)
    if (events === null) return
    // The headers are sent with the first bytes, which may be a comment.
    const frames = events.length === 0 ? ': keep-alive\n\n' : events.map((event) => frameOf(event, retryMs)).join('')
    if (!boundWaiting(reply, frames.length, server)) return
    yield frames
  }
}

/** Formats an event. An event without data contains the id to resume from, and the delay before a reconnect. */
function frameOf({ id, message }: StreamEvent, retryMs: number): string {
  if (id === '') return `event: message\ndata: ${message}\n\n`
  return message === '' ? `id: ${id}\nretry: ${retryMs}\ndata: \n\n` : `event: message\nid: ${id}\ndata: ${message}\n\n`
}
