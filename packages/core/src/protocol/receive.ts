import { receiveBatch } from './batch.js'
import type { Answer, Exchange } from './exchange.js'
import { type Eras, receiveMessage } from './receive-message.js'

/** Serves whatever came in: one message of either era, or a batch. Throws and rejects with nothing but faults of its own. */
export function receive(exchange: Exchange, eras: Eras): Answer | Promise<Answer> {
  const { message } = exchange
  return Array.isArray(message) ? receiveBatch(message, exchange, eras) : receiveMessage(exchange, eras)
}
