import type { Writable } from 'node:stream'
import { startLongTimer } from '../timing/long-timer.js'

/** Writes messages as lines, and says when the other end does not keep up. */
export class LineWriter {
  constructor(
    private readonly output: Writable,
    private readonly maxBufferedBytes: number,
  ) {}

  send(json: string): void {
    this.output.write(`${json}\n`)
  }

  /** As `send`, for what comes before an answer: left out when too much waits already, so that no call fills the memory. */
  notify(json: string): void {
    if (!this.isBackedUp) this.send(json)
  }

  /** Whether more waits to be read than may. */
  get isBackedUp(): boolean {
    const { writableLength, writableNeedDrain, destroyed } = this.output
    return !destroyed && writableNeedDrain && writableLength > this.maxBufferedBytes
  }

  /** Resolves when the other end has caught up, or is gone. */
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

  /** Waits until everything is written, but not for ever. @returns Whether it is. */
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
