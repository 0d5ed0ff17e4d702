import { writeSync } from 'node:fs'
// Not the global ones, which tests replace.
import { setImmediate, setTimeout } from 'node:timers'

/** Characters that wait to be written: a log that nobody takes must not fill the memory. */
const maxWaiting = 2 ** 20

/** Milliseconds until the next try, where a pipe is full: it takes 64 KiB each time. */
const retryMs = 10

/** Milliseconds in which the process writes at its end what still waits. */
const flushMs = 200

const newline = 0x0a

/** What is written next. */
interface Chunk {
  /** What is left of it. */
  bytes: Buffer
  /** Lost lines that it tells of. */
  readonly tells: number
  /** Whether it is of the lines that were given. */
  readonly isGiven: boolean
}

const outputs = new Map<number, LogOutput>()

/**
 * The one output to a file descriptor of the process.
 *
 * @param fd Of `process.stdout` or `process.stderr`, which are opened by asking them for it (in threads they have none): a
 * pipe then says that it is full, where a write would wait for its reader.
 */
export function logOutput(fd: number): LogOutput {
  const output = outputs.get(fd) ?? new LogOutput(fd)
  outputs.set(fd, output)
  return output
}

/**
 * Where a log goes that waits for no reader and never fails, be it that the disk is full: what one turn of the event loop
 * logs is written at its end. What cannot be written is lost and counted, and the next line that can be says how many were.
 *
 * An output of pino's would end the process with an exception, and at its end try for ever to write what is left.
 */
class LogOutput {
  #waiting = ''
  /** What a pipe has not taken all of yet. */
  #started: Chunk | null = null
  #lost = 0
  /** Whether the last line that was written has no end. */
  #isTorn = false
  #isScheduled = false

  constructor(private readonly fd: number) {
    process.once('exit', () => this.flushSync())
  }

  /** @param line With its line break. */
  write(line: string): void {
    // A line that is longer by itself is taken where no other waits.
    if (this.#waiting.length > 0 && this.#waiting.length + line.length > maxWaiting) this.#lost++
    else this.#waiting += line
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#writeOrRetry())
  }

  /** For pino, before a process ends that was told to with `fatal`, and for whoever calls `logger.flush`. */
  flush(done?: () => void): void {
    this.flushSync()
    done?.()
  }

  /** Writes what waits, for as long as a pipe may take to be read from. */
  flushSync(): void {
    const deadline = performance.now() + flushMs
    while (!this.#writeAll() && performance.now() < deadline) Atomics.wait(sleeper, 0, 0, retryMs)
  }

  #writeOrRetry(): void {
    this.#isScheduled = !this.#writeAll()
    // Not referenced: who does not read must not keep the process.
    if (this.#isScheduled) setTimeout(() => this.#writeOrRetry(), retryMs).unref()
  }

  /** @returns Whether nothing waits any more; else a pipe is full. */
  #writeAll(): boolean {
    try {
      for (let chunk = this.#started ?? this.#next(); chunk !== null; chunk = this.#next()) this.#write(chunk)
    } catch (error) {
      // Of a disk, it is another code.
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false
      this.#loseAll()
    }
    return true
  }

  #next(): Chunk | null {
    if (this.#isTorn) return { bytes: Buffer.from('\n'), tells: 0, isGiven: false }
    if (this.#lost > 0) return { bytes: Buffer.from(describeLoss(this.#lost)), tells: this.#lost, isGiven: false }
    if (this.#waiting === '') return null
    const bytes = Buffer.from(this.#waiting)
    this.#waiting = ''
    return { bytes, tells: 0, isGiven: true }
  }

  #write(chunk: Chunk): void {
    this.#started = chunk
    while (chunk.bytes.length > 0) {
      const written = writeSync(this.fd, chunk.bytes)
      this.#isTorn = chunk.bytes[written - 1] !== newline
      chunk.bytes = chunk.bytes.subarray(written)
    }
    this.#started = null
    this.#lost -= chunk.tells
  }

  #loseAll(): void {
    const started = this.#started?.isGiven === true ? this.#started.bytes : Buffer.alloc(0)
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
