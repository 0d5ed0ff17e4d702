import type { Writable } from 'node:stream'
import { startLongTimer } from '../timing/long-timer.js'

/** Writes messages as lines, and reports when the client reads too slowly. */
export class LineWriter {
  constructor(
    private readonly output: Writable,
    private readonly maxBufferedBytes: number,
  ) {}

  send(json: string): void {
    this.output.write(`${json}\n`)
  }

  /** Sends a notification. Drops it when the buffer is full, so that a call cannot fill the memory. */
  notify(json: string): void {
    if (!this.isBackedUp) this.send(json)
  }

  /** Whether the unread output exceeds the limit. */
  get isBackedUp(): boolean {
    const { writableLength, writableNeedDrain, destroyed } = this.output
    return !destroyed && writableNeedDrain && writableLength > this.maxBufferedBytes
  }

  /** Resolves when the buffer is drained, or the output is closed. */
  async caughtUp(signal: AbortSignal | undefined): Promise<void> {
    if (!this.isBackedUp || signal?.aborted === true) return
    const { output } = this
    await new Promise<void>((resolve) => {
      const stop = (): void => {
        for (const event of ['drain', 'close', 'error']) output.off(event, stop)
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      for (const event of ['drain', 'close', 'error']) output.on(event, stop)
      signal?.addEventListener('abort', stop)
    })
  }

  /** Waits until everything is written, up to the timeout. @returns Whether everything was written. */
  async flushed(maxMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = startLongTimer(() => resolve(false), maxMs)
      this.output.write('', () => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }
}
