import { setTimeout as sleep } from 'node:timers/promises'
import { singleton } from 'toolwright'

export interface Film {
  readonly title: string
  readonly frames: number
}

/** A laboratory that makes films: an example of slow work. */
@singleton()
export class Laboratory {
  readonly #archive = new Map<string, Film>()

  /** Stops between two frames when the signal aborts. */
  async render(film: Film, signal: AbortSignal): Promise<void> {
    for (let frame = 0; frame < film.frames; frame++) {
      // oxlint-disable-next-line no-await-in-loop
      await sleep(10, undefined, { signal })
    }
    this.#archive.set(film.title, film)
  }

  has(title: string): boolean {
    return this.#archive.has(title)
  }

  destroy(title: string): void {
    this.#archive.delete(title)
  }
}
