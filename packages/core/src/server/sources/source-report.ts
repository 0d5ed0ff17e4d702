import type { Diagnostics } from '../../errors/diagnostics.js'

/** The origins of a source's features, and the origins that the source left out. */
export interface ExplainedSource {
  readonly name: string
  /** `origin`: `GET /orders`. `feature`: `tool 'list-orders'`. */
  readonly added: readonly { readonly origin: string; readonly feature: string }[]
  /** `reason`: `deprecated`. */
  readonly leftOut: readonly { readonly origin: string; readonly reason: string }[]
  /** Absolute paths of the OpenAPI documents that the source read. */
  readonly documents: readonly string[]
}

/** Collects the problems of a source, and the rows of its section in `explain`. */
export class SourceReport {
  #added: ExplainedSource['added'][number][] = []
  #leftOut: ExplainedSource['leftOut'][number][] = []
  readonly #documents: string[] = []

  constructor(
    private readonly name: string,
    private readonly diagnostics: Diagnostics,
  ) {}

  /**
   * Reports a mistake of the developer: the server does not start. All problems of all sources are reported together. Has no
   * effect after boot.
   *
   * @param message Names the thing in quotes, says what was found, and ends with the fix.
   */
  problem(message: string): void {
    this.diagnostics.add('bad-source', `Source '${this.name}': ${message}`)
  }

  /** Adds a row: what the source read, such as `GET /orders`, and what it became, such as `tool 'list-orders'`. */
  added(origin: string, feature: string): void {
    this.#added.push({ origin, feature })
  }

  /** Adds a row: what the source read and did not add, and why. */
  leftOut(origin: string, reason: string): void {
    this.#leftOut.push({ origin, reason })
  }

  /** Names an OpenAPI document that the source read: `toolwright doctor` validates it. @param path Absolute path. */
  document(path: string): void {
    this.#documents.push(path)
  }

  /** Removes all rows, before a source that changes its features at run time adds the new rows. */
  clear(): void {
    this.#added = []
    this.#leftOut = []
  }

  explain(): ExplainedSource {
    return { name: this.name, added: [...this.#added], leftOut: [...this.#leftOut], documents: [...this.#documents] }
  }
}
