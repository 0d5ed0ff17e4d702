/** What happened to a shelf: a definition came, or one went. */
export type ShelfChange<Definition> =
  | { readonly kind: 'added'; readonly definition: Definition }
  | { readonly kind: 'removed'; readonly key: string }

/** The definitions of one kind of feature, each under a key of its own. */
export class Shelf<Definition> {
  readonly #definitions = new Map<string, Definition>()
  readonly #listeners: ((change: ShelfChange<Definition>) => void)[] = []
  #sorted: readonly Definition[] | null = null
  #isUsed = false

  constructor(readonly keyOf: (definition: Definition) => string) {}

  /** In order of the keys: the same set has the same order, whenever and on whichever node it was put together. */
  get all(): readonly Definition[] {
    this.#sorted ??= [...this.#definitions].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, definition]) => definition)
    return this.#sorted
  }

  get(key: string): Definition | undefined {
    return this.#definitions.get(key)
  }

  keys(): Iterable<string> {
    return this.#definitions.keys()
  }

  /** Whether there ever was a definition: what a client was told of once is not taken back. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  /** The caller has made sure that the key is free. */
  add(definition: Definition): void {
    this.#isUsed = true
    this.#definitions.set(this.keyOf(definition), definition)
    this.#changed({ kind: 'added', definition })
  }

  /** Returns whether there was one. */
  remove(key: string): boolean {
    if (!this.#definitions.delete(key)) return false
    this.#changed({ kind: 'removed', key })
    return true
  }

  /** Runs the listener after each change, before the next request. */
  onChange(listener: (change: ShelfChange<Definition>) => void): void {
    this.#listeners.push(listener)
  }

  #changed(change: ShelfChange<Definition>): void {
    this.#sorted = null
    for (const listener of this.#listeners) listener(change)
  }
}
