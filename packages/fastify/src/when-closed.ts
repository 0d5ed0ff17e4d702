import type { FastifyReply } from 'fastify'

/** Calls back when a response is over, whatever ended it: at once where the client went before there was any of it. */
export function whenClosed({ raw }: FastifyReply, callback: () => void): void {
  if (raw.destroyed) callback()
  else raw.once('close', callback)
}

/** Calls back when the client leaves before it has its whole answer. Not for answers that are there already. */
export function whenGone({ raw }: FastifyReply, callback: () => void): void {
  if (raw.destroyed) {
    callback()
    return
  }
  raw.once('close', () => {
    if (!raw.writableFinished) callback()
  })
}
