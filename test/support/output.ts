import { EventEmitter, once } from 'node:events'
import type { Stream } from 'node:stream'

/** The output of a program so far. */
export class Output {
  text = ''
  readonly #news = new EventEmitter()
  #open: number

  constructor(streams: readonly Stream[]) {
    this.#open = streams.length
    for (const stream of streams) {
      stream.on('data', (chunk: Buffer) => {
        this.text += chunk.toString()
        this.#news.emit('news')
      })
      stream.on('close', () => {
        this.#open--
        this.#news.emit('news')
      })
    }
  }

  /** The match of a pattern, as soon as there is one. */
  async match(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.text)
      if (found !== null) return found
      if (this.#open === 0) throw new Error(`The program ended without printing ${pattern}:\n${this.text}`)
      // oxlint-disable-next-line no-await-in-loop
      await once(this.#news, 'news')
    }
  }
}
