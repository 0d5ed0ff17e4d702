import { type ExtendedServer, LimitError } from '@toolwright/core'
import { Quota } from '@toolwright/core/host'
import { StreamError, streamErrors } from '../wire/stream-error.js'
import type { ReadStreamsOptions } from './options.js'

const retryAfterMs = 10_000

export class StreamTotals {
  received = 0
  /** Bytes of chunks to clients. */
  sent = 0
  readonly #open: Quota
  readonly #unread: Quota
  #rejected = 0
  #overfull = 0

  constructor({ gauges }: ExtendedServer, { maxOpenStreams, maxUnreadBytes }: ReadStreamsOptions) {
    this.#open = new Quota(maxOpenStreams)
    this.#unread = new Quota(maxUnreadBytes)
    const counter = 'counter'
    gauges.share({ name: 'streams_open', help: 'Open streams', max: maxOpenStreams, read: () => this.#open.taken })
    gauges.share({
      name: 'streams_rejected_total',
      help: 'Streams rejected by maxOpenStreams',
      kind: counter,
      read: () => this.#rejected,
    })
    gauges.share({
      name: 'stream_unread_bytes',
      help: 'Bytes of chunks that tools have not read',
      max: maxUnreadBytes,
      read: () => this.#unread.taken,
    })
    gauges.share({
      name: 'streams_overfull_total',
      help: 'Streams aborted by maxUnreadBytes',
      kind: counter,
      read: () => this.#overfull,
    })
    gauges.share({
      name: 'stream_received_bytes_total',
      help: 'Bytes that clients have sent on streams',
      kind: counter,
      read: () => this.received,
    })
    gauges.share({
      name: 'stream_sent_bytes_total',
      help: 'Bytes that tools have sent on streams',
      kind: counter,
      read: () => this.sent,
    })
  }

  open(caller: string): void {
    if (!this.#open.allowsShare(caller)) {
      this.#rejected++
      throw new LimitError('unavailable', 'Too many streams are open', retryAfterMs)
    }
    this.#open.take(caller)
  }

  close(caller: string): void {
    this.#open.take(caller, -1)
  }

  changeUnread(caller: string, bytes: number): void {
    if (bytes > 0 && !this.#unread.allowsShare(caller, bytes)) {
      this.#overfull++
      throw new StreamError('Too many bytes wait for the tools of this server', streamErrors.internalError)
    }
    this.#unread.take(caller, bytes)
  }
}
