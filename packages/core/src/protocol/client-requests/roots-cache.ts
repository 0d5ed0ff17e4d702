import { isRootsAnswer } from '../../client-requests/roots.js'

/** Maximum characters of a stored answer, because each session can store one. Longer lists are requested by each call. */
const maxLength = 16_384

export class RootsCache {
  /** The answer as JSON, so that each call gets its own copy. */
  #json: string | null = null
  #changes = 0

  /**
   * Returns the answer; `undefined` if the client has to be asked.
   *
   * @param changes Number of times that the client's roots have changed.
   */
  find(changes: number): unknown {
    return this.#json === null || changes !== this.#changes ? undefined : JSON.parse(this.#json)
  }

  /** Stores a valid answer. @param changes Number of changes when the request was sent: the roots can change before the answer. */
  put(answer: unknown, changes: number): void {
    const json = isRootsAnswer(answer) ? JSON.stringify(answer) : null
    this.#json = json !== null && json.length <= maxLength ? json : null
    this.#changes = changes
  }
}
