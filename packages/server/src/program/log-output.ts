import { writeSync } from 'node:fs'
// The timers are imported, because tests replace the global timers.
import { setImmediate, setTimeout } from 'node:timers'
import { type Logger, pino } from 'pino'

/** Maximum number of buffered characters: a log without a reader must not fill the memory. */
const maxWaiting = 2 ** 20

/** Milliseconds between attempts while a pipe is full. Each attempt writes up to 64 KiB. */
const retryMs = 10

/** Maximum milliseconds to write buffered lines when the process exits. */
const flushMs = 200

const newline = 0x0a

interface Chunk {
  /** The part that is not written yet. */
  bytes: Buffer
  readonly reportedLost: number
  readonly hasLines: boolean
}

const outputs = new Map<number, LogOutput>()

/**
 * Returns the output for a file descriptor: one per descriptor and process.
 *
 * @param fd The `fd` of `process.stdout` or `process.stderr` (undefined in worker threads). Reading that property opens the
 * stream, which makes a pipe non-blocking. A write to a full pipe then fails instead of blocking.
 */
export function logOutput(fd: number): LogOutput {
  const output = outputs.get(fd) ?? new LogOutput(fd)
  outputs.set(fd, output)
  return output
}

export function logToStderr(name: string): Logger {
  return pino({ name }, logOutput(process.stderr.fd || 2))
}

/**
 * Non-blocking log destination that never fails. Writes all lines of a turn of the event loop together, at the end of the turn.
 * Lines that cannot be written, for example on a full disk, are dropped and counted. The number of dropped lines is written with
 * the next line.
 *
 * Pino's own destination would crash the process with an exception, and retry for ever when the process exits.
 */
class LogOutput {
  #waiting = ''
  /** A chunk that was only partly written. */
  #started: Chunk | null = null
  #lost = 0
  /** Whether the last line was only partly written. */
  #isTorn = false
  #isScheduled = false

  constructor(private readonly fd: number) {
    process.once('exit', () => this.flushSync())
  }

  write(line: string): void {
    // If the buffer is empty, a line of any length is accepted.
    if (this.#waiting.length > 0 && this.#waiting.length + line.length > maxWaiting) this.#lost++
    else this.#waiting += line
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#writeOrRetry())
  }

  /** Called by pino before the process ends after `fatal`, and by `logger.flush`. */
  flush(done?: () => void): void {
    this.flushSync()
    done?.()
  }

  /** Writes the buffered lines. Waits a limited time for the reader of a full pipe. */
  flushSync(): void {
    const deadline = performance.now() + flushMs
    while (!this.#writeAll() && performance.now() < deadline) Atomics.wait(sleeper, 0, 0, retryMs)
  }

  #writeOrRetry(): void {
    this.#isScheduled = !this.#writeAll()
    // The timer is unreferenced, so that a stalled reader does not keep the process alive.
    if (this.#isScheduled) setTimeout(() => this.#writeOrRetry(), retryMs).unref()
  }

  /** @returns Whether the buffer is empty; false if a pipe is full. */
  #writeAll(): boolean {
    try {
      for (let chunk = this.#started ?? this.#next(); chunk !== null; chunk = this.#next()) this.#write(chunk)
    } catch (error) {
      // The pipe is full. A full disk has another code (ENOSPC), and its lines are dropped.
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false
      this.#loseAll()
    }
    return true
  }

  #next(): Chunk | null {
    if (this.#isTorn) return { bytes: Buffer.from('\n'), reportedLost: 0, hasLines: false }
    if (this.#lost > 0)
      return { bytes: Buffer.from(describeLoss(this.#lost)), reportedLost: this.#lost, hasLines: false }
    if (this.#waiting === '') return null
    const bytes = Buffer.from(this.#waiting)
    this.#waiting = ''
    return { bytes, reportedLost: 0, hasLines: true }
  }

  #write(chunk: Chunk): void {
    this.#started = chunk
    while (chunk.bytes.length > 0) {
      const written = writeSync(this.fd, chunk.bytes)
      this.#isTorn = chunk.bytes[written - 1] !== newline
      chunk.bytes = chunk.bytes.subarray(written)
    }
    this.#started = null
    this.#lost -= chunk.reportedLost
  }

  #loseAll(): void {
    const started = this.#started?.hasLines === true ? this.#started.bytes : Buffer.alloc(0)
    this.#lost += countLines(started) + countLines(Buffer.from(this.#waiting))
    this.#started = null
    this.#waiting = ''
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4))

function countLines(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) lines++
  return lines
}

function describeLoss(lines: number): string {
  const line = { level: 40, time: Date.now(), pid: process.pid, lines, msg: 'lines of this log could not be written' }
  return `${JSON.stringify(line)}\n`
}
