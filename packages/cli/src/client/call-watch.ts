import type { LoggingMessageNotification, Progress } from '@modelcontextprotocol/client'
import type { TaskState } from '@toolwright/client'
import { CommandError, exitCodes } from '../command-error.js'
import { oneLine, paint } from '../terminal.js'
import type { Connection } from './connect.js'
import { ProgressLine } from './progress-line.js'

const cancellationMs = 1000

/** Watches one call: shows its progress and log, and cancels it on Ctrl+C or after the timeout. */
export class CallWatch {
  readonly #abort = new AbortController()
  readonly #line = new ProgressLine()
  readonly #sending = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #timeoutMs = 0
  #suspended = 0
  #isStarted = false

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  start({ client }: Connection, timeoutMs: number, tool: string): void {
    this.#timeoutMs = timeoutMs
    this.#isStarted = true
    // Wraps `send`, because the client does not report when a cancellation has been sent.
    const { transport } = client.official
    const send = transport?.send.bind(transport)
    if (transport !== undefined && send !== undefined) {
      transport.send = (...given) => {
        const sent = send(...given)
        const settled = sent.catch(() => undefined).finally(() => this.#sending.delete(settled))
        this.#sending.add(settled)
        return sent
      }
    }
    process.once('SIGINT', this.#interrupt)
    this.#line.show(`Calling ${oneLine(tool)}`)
    this.#touch()
  }

  progress({ progress, total, message }: Progress): void {
    this.#touch()
    const count = total === undefined ? String(progress) : `${progress} of ${total}`
    if (process.stderr.isTTY) this.#line.show(message ?? count, progress, total)
    else process.stderr.write(`${oneLine(message === undefined ? count : `${count} ${message}`)}\n`)
  }

  task({ status, statusMessage = '' }: TaskState): void {
    this.#touch()
    const words = ['Task', status.replaceAll('_', ' '), ...(statusMessage === '' ? [] : [statusMessage])]
    const text = words.map(oneLine).join(' ')
    if (process.stderr.isTTY) this.#line.show(text)
    else process.stderr.write(`${text}\n`)
  }

  log({ level, logger, data }: LoggingMessageNotification['params']): void {
    if (this.#isStarted) this.#touch()
    const text = oneLine(typeof data === 'string' ? data : JSON.stringify(data))
    const colour = level === 'info' || level === 'debug' || level === 'notice' ? 'cyan' : 'yellow'
    const label = paint(process.stderr, colour, level.padEnd(7))
    this.#line.hide()
    process.stderr.write(`${label} ${logger === undefined ? '' : `${oneLine(logger)} `}${text}\n`)
    this.#line.reveal()
  }

  /** Runs a prompt. Until the prompt ends, the progress is hidden, and no timeout applies. */
  async suspend<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#suspended++
    clearTimeout(this.#timer)
    this.#line.hide()
    try {
      return await ask()
    } finally {
      this.#suspended--
      this.#line.reveal()
      this.#touch()
    }
  }

  end(): void {
    process.off('SIGINT', this.#interrupt)
    clearTimeout(this.#timer)
    this.#line.end()
  }

  async close(connection: Connection): Promise<void> {
    this.end()
    if (this.signal.aborted) {
      const late = new Promise((resolve) => setTimeout(resolve, cancellationMs).unref())
      await Promise.race([Promise.all(this.#sending), late])
    }
    await connection.close()
  }

  readonly #interrupt = (): void => {
    this.#line.end()
    this.#abort.abort(new CommandError('Cancelled.', exitCodes.cancelled))
  }

  #touch(): void {
    clearTimeout(this.#timer)
    if (this.#suspended > 0 || this.#timeoutMs === 0 || this.signal.aborted) return
    this.#timer = setTimeout(() => {
      const seconds = this.#timeoutMs / 1000
      const message = `The server did not answer within ${seconds} s. The call was cancelled. Pass a longer --timeout SECONDS.`
      this.#abort.abort(new CommandError(message))
    }, this.#timeoutMs)
  }
}
