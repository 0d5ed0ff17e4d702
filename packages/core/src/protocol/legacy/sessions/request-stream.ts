import type { StreamReader } from './stream-reader.js'
import type { StreamWriter } from './stream-writer.js'

/** The stream of one request of a session. */
export class RequestStream {
  constructor(
    private readonly writer: StreamWriter,
    /** For the connection that the request came on. */
    readonly reader: StreamReader,
    private readonly endWith: (json: string | null) => void,
  ) {}

  send(json: string): void {
    void this.writer.send(json)
  }

  /** Sends the answer, when there is one. Nothing may follow. */
  end(json: string | null): void {
    this.endWith(json)
  }

  /** Ends the connection after what was sent so far. The stream goes on: the client comes back for the rest. */
  disconnect(): void {
    void this.writer.written.then(() => this.reader.finish())
  }
}
