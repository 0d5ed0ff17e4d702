import type { McpContext } from '@toolwright/core'
import type { StreamMeta } from '../wire/messages.js'

/** Description of the output of a tool. */
export type OutputMeta = Partial<Omit<StreamMeta, 'binary' | 'correlationId'>>

export interface Channel {
  readonly id: string
  readonly meta: StreamMeta
  readonly readable: ReadableStream<unknown>
  readonly writable: WritableStream<unknown>
  readonly closing: AbortSignal
  describe(meta: OutputMeta): void
  returned(value: unknown): void
}

const channels = new WeakMap<McpContext, Channel>()

/** Connects a call with its stream, before the steps of its plan run. */
export function connectChannel(context: McpContext, channel: Channel): void {
  channels.set(context, channel)
}

export function channelOf(context: McpContext): Channel | undefined {
  return channels.get(context)
}
