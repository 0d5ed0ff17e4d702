import { Readable } from 'node:stream'
import type { StreamEvent, StreamReader } from '@toolwright/core/internal'
import type { FastifyReply } from 'fastify'
import { EventStream, keepAliveMs } from './event-stream.js'

/** Bytes that are read ahead of a client. What it has not come to is in the event store. */
const readAheadBytes = 16_384

/** Sends what a session's stream has, from the reader's place on, at the pace at which the client takes it. */
export function sendEvents(reply: FastifyReply, reader: StreamReader, retryMs: number): FastifyReply {
  const frames = Readable.from(framesOf(reader, retryMs), { objectMode: false, highWaterMark: readAheadBytes })
  reply.raw.once('close', () => reader.close())
  // A client that takes nothing at all is gone: a living one gets a comment now and then.
  reply.raw.setTimeout(3 * keepAliveMs, () => reply.raw.destroy())
  return reply.headers(EventStream.headers).send(frames)
}

async function* framesOf(reader: StreamReader, retryMs: number): AsyncGenerator<string> {
  for (let events = await next(reader); events !== null; events = await next(reader)) {
    // At first this also sends the head of the response, which goes out with the first bytes.
    if (events.length === 0) yield ': keep-alive\n\n'
    else yield events.map((event) => frameOf(event, retryMs)).join('')
  }
}

function next(reader: StreamReader): Promise<readonly StreamEvent[] | null> {
  return reader.next(keepAliveMs)
}

/** An event without data tells the client where it is, and when to come back should the stream end. */
function frameOf({ id, message }: StreamEvent, retryMs: number): string {
  return message === '' ? `id: ${id}\nretry: ${retryMs}\ndata: \n\n` : `event: message\nid: ${id}\ndata: ${message}\n\n`
}
