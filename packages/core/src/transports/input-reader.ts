import type { Readable } from 'node:stream'
import { MessageTooLarge, ProtocolError } from '../errors/protocol-error.js'
import { type ExactId, errorResponse } from '../rpc/messages.js'
import type { RunningServer } from '../server/running-server.js'
import type { Connection } from './connection.js'
import { LineReader, type LongLine } from './line-reader.js'
import type { LineWriter } from './line-writer.js'
import { idOfLong, idOfRejected, readInTurn } from './long-messages.js'

/** Reads messages, one per line, and passes them to a connection. */
export class InputReader {
  constructor(
    private readonly server: RunningServer,
    private readonly connection: Connection,
    /** Receives the errors for rejected messages. */
    private readonly output: LineWriter,
  ) {}

  /** Resolves when the input has ended. Rejects with the error of the input. */
  async readAll(input: Readable, signal: AbortSignal | undefined): Promise<void> {
    const lines = new LineReader(this.server.limits.maxMessageBytes)
    for await (const chunk of input) {
      for (const line of lines.push(Buffer.from(chunk as Buffer | string))) {
        // Waits at each line, because a chunk can have hundreds of calls, each with a result of any size. Waits before
        // the line rather than after it, so that the end of the input is detected even if the client does not read.
        await this.connection.readyForNext()
        if (this.output.isBackedUp) await this.output.caughtUp(signal)
        await this.#receive(line)
      }
    }
    const last = lines.end()
    if (last !== undefined) await this.#receive(last)
  }

  async #receive(line: Buffer | LongLine): Promise<void> {
    const { limits } = this.server
    if (!Buffer.isBuffer(line)) {
      const message = `Invalid Request: a message has at most ${limits.maxMessageBytes} bytes`
      this.#reject(new MessageTooLarge(message, 'bodyTooLarge'), idOfLong(line))
      return
    }
    if (line.every(isBlank)) return
    try {
      this.connection.receive(await readInTurn(line, limits))
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.#reject(error, idOfRejected(line, error))
    }
  }

  #reject(error: ProtocolError, id: ExactId | undefined): void {
    this.server.oversizedMessages.addIfTooLarge(error)
    this.output.send(errorResponse(id, error))
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d
}
