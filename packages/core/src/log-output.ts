import { write, writeSync } from 'node:fs'

/** Characters that wait while others are written: a log that nobody takes must not fill the memory. */
const maxWaiting = 2 ** 20

/** Milliseconds until the next try, where a pipe is full: it takes 64 KiB each time. */
const retryMs = 10

/** Milliseconds in which the process writes at its end what still waits. */
const flushMs = 200

/** What is written at once. */
interface Chunk {
  readonly lines: number
  /** Lines that were lost before, of which it tells. */
  readonly lost: number
  /** What is left of it. */
  bytes: Buffer
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
 * Where a log goes that holds nobody up and never fails, be it that nobody reads it or that the disk is full. Lines are
 * lost then. Once some can be written again, one says how many.
 *
 * An output of pino's would end the process with an exception, and at its end try for ever to write what is left.
 */
export class LogOutput {
  #waiting = ''
  #waitingLines = 0
  #isWriting = false
  /** What a full pipe did not take yet. */
  #held: Chunk | null = null
  #lost = 0
  /** Whether a line was begun and could not be ended. */
  #isTorn = false

  constructor(private readonly fd: number) {
    process.once('exit', () => this.#flush())
  }

  /** @param line With its line break. */
  write(line: string): void {
    if (this.#waiting.length + line.length > maxWaiting) {
      this.#lost++
      return
    }
    this.#waiting += line
    this.#waitingLines++
    if (!this.#isWriting) this.#writeNext()
  }

  #writeNext(): void {
    const chunk = this.#takeWaiting()
    this.#isWriting = chunk !== null
    if (chunk !== null) this.#continue(chunk)
  }

  #takeWaiting(): Chunk | null {
    if (this.#waitingLines === 0) return null
    const begin = (this.#isTorn ? '\n' : '') + (this.#lost > 0 ? describeLoss(this.#lost) : '')
    const chunk = { lines: this.#waitingLines, lost: this.#lost, bytes: Buffer.from(begin + this.#waiting) }
    this.#waiting = ''
    this.#waitingLines = 0
    return chunk
  }

  #continue(chunk: Chunk): void {
    this.#held = null
    write(this.fd, chunk.bytes, (error, written) => {
      if (error === null) this.#wrote(chunk, written)
      else if (isFull(error)) this.#hold(chunk)
      else this.#lose(chunk)
    })
  }

  #hold(chunk: Chunk): void {
    this.#held = chunk
    setTimeout(() => this.#continue(chunk), retryMs).unref()
  }

  #wrote(chunk: Chunk, written: number): void {
    this.#isTorn = written < chunk.bytes.length
    chunk.bytes = chunk.bytes.subarray(written)
    if (this.#isTorn) {
      this.#continue(chunk)
      return
    }
    this.#lost -= chunk.lost
    this.#writeNext()
  }

  #lose({ lines }: Chunk): void {
    this.#lost += lines
    this.#writeNext()
  }

  /** There is no other turn: what the system does not take now is lost. */
  #flush(): void {
    let bytes = Buffer.concat([this.#held, this.#takeWaiting()].map((chunk) => chunk?.bytes ?? Buffer.alloc(0)))
    const deadline = performance.now() + flushMs
    while (bytes.length > 0 && performance.now() < deadline) {
      try {
        bytes = bytes.subarray(writeSync(this.fd, bytes))
      } catch (error) {
        if (!isFull(error)) return
        Atomics.wait(sleeper, 0, 0, 10)
      }
    }
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4))

/** Of a pipe, which somebody may read. Of a disk, it is another code. */
function isFull(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EAGAIN'
}

function describeLoss(lines: number): string {
  const line = { level: 40, time: Date.now(), pid: process.pid, lines, msg: 'lines of this log could not be written' }
  return `${JSON.stringify(line)}\n`
}
