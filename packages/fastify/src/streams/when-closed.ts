import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Calls back when a response is over, whatever ended it: at once where the client went before there was any of it. */
export function whenClosed(reply: FastifyReply, callback: () => void): void {
  if (isClosed(reply)) callback()
  else reply.raw.once('close', callback)
}

/** Calls back when the client leaves before it has its whole answer. Not for answers that are there already. */
export function whenGone(reply: FastifyReply, callback: () => void): void {
  if (isClosed(reply)) {
    callback()
    return
  }
  reply.raw.once('close', () => {
    if (!isWhole(reply.raw)) callback()
  })
}

/** Whether nothing that is sent would reach the client any more. A response of HTTP/2 has a stream that tells. */
export function isClosed({ raw }: FastifyReply): boolean {
  return raw.destroyed || (raw as { readonly stream?: { readonly destroyed?: boolean } }).stream?.destroyed === true
}

/** Whether all of a response was sent. One of HTTP/2 that was cut short calls itself finished, but has not been ended. */
function isWhole({ writableEnded, writableFinished }: ServerResponse): boolean {
  return writableEnded && writableFinished
}
