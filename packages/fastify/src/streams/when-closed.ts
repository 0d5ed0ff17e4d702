import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

export function whenClosed(reply: FastifyReply, callback: () => void): void {
  if (isClosed(reply)) callback()
  else reply.raw.once('close', callback)
}

/** Calls back when the client disconnects before the whole answer was sent. Not called for complete answers. */
export function whenGone(reply: FastifyReply, callback: () => void): void {
  if (isClosed(reply)) {
    callback()
    return
  }
  reply.raw.once('close', () => {
    if (!isWhole(reply.raw)) callback()
  })
}

/** Whether the client can no longer be reached. For HTTP/2, the state of the stream decides. */
export function isClosed({ raw }: FastifyReply): boolean {
  return raw.destroyed || (raw as { readonly stream?: { readonly destroyed?: boolean } }).stream?.destroyed === true
}

/** Whether the whole response was sent. `writableFinished` is also true for an HTTP/2 response that was cut. */
function isWhole({ writableEnded, writableFinished }: ServerResponse): boolean {
  return writableEnded && writableFinished
}
