import { connect } from 'node:net'

/** Sends the given messages, and ignores responses. */
export class Sender {
  constructor(port, head) {
    this.socket = connect(port, '127.0.0.1').on('error', () => undefined)
    this.socket.resume().write(head)
    this.closed = new Promise((resolve) => this.socket.once('close', resolve))
  }

  async sendAll(texts) {
    for (const text of texts) {
      if (this.socket.destroyed) return
      if (!this.socket.write(text)) await Promise.race([this.#drained(), this.closed])
    }
  }

  /** Until the connection is closed. */
  async goOn(texts) {
    while (!this.socket.destroyed) await this.sendAll(texts)
    await this.closed
  }

  #drained() {
    return new Promise((resolve) => this.socket.once('drain', resolve))
  }
}
