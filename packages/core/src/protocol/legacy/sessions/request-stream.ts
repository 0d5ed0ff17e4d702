import type { StreamReader } from './stream-reader.js'
import type { StreamWriter } from './stream-writer.js'

export class RequestStream {
  constructor(
    private readonly writer: StreamWriter,
    /** Reader for the connection of the request. */
    readonly reader: StreamReader,
    private readonly endWith: (json: string | null) => void,
  ) {}

  send(json: string): void {
    void this.writer.send(json)
  }

  /** Sends the response, if there is one. No message may follow. */
  end(json: string | null): void {
    this.endWith(json)
  }

  /**
   * Ends the connection after the messages sent so far. The stream continues, and the client reconnects for the rest.
   */
  disconnect(): void {
    void this.writer.written.then(() => this.reader.finish())
  }
}
