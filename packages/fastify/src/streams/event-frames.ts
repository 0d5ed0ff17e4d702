import { Readable } from 'node:stream'
import type { StreamEvent, StreamReader } from '@toolwright/core/transport'
import type { FastifyReply } from 'fastify'
import { boundWaiting } from '../connections/pipelining.js'
import type { EndpointOptions } from '../options.js'
import { sendStream } from './event-stream.js'
import { whenClosed } from './when-closed.js'

type Sending = Pick<EndpointOptions, 'server' | 'retryMs' | 'keepAliveMs'>

/** Bytes that are read ahead of a client. What it has not come to is in the event store. */
const readAheadBytes = 16_384

/** Sends what a session's stream has, from the reader's place on, at the pace at which the client takes it. */
export function sendEvents(reply: FastifyReply, reader: StreamReader, sending: Sending): FastifyReply {
  whenClosed(reply, () => reader.close())
  const frames = Readable.from(framesOf(reply, reader, sending), { objectMode: false, highWaterMark: readAheadBytes })
  return sendStream(reply, frames, sending)
}

async function* framesOf(
  reply: FastifyReply,
  reader: StreamReader,
  { server, retryMs, keepAliveMs }: Sending,
): AsyncGenerator<string> {
  for (;;) {
    // It rejects where the store fails. Where the head is not out yet, the client hears of it; else its stream is cut.
    // oxlint-disable-next-line no-await-in-loop
    const events = await reader.next(keepAliveMs)
    if (events === null) return
    // At first this also sends the head of the response, which goes out with the first bytes.
    const frames = events.length === 0 ? ': keep-alive\n\n' : events.map((event) => frameOf(event, retryMs)).join('')
    if (!boundWaiting(reply, frames.length, server)) return
    yield frames
  }
}

/** An event without data tells the client where it is, and when to come back should the stream end. */
function frameOf({ id, message }: StreamEvent, retryMs: number): string {
  if (id === '') return `event: message\ndata: ${message}\n\n`
  return message === '' ? `id: ${id}\nretry: ${retryMs}\ndata: \n\n` : `event: message\nid: ${id}\ndata: ${message}\n\n`
}
