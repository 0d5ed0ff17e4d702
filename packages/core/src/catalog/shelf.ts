/** What happened to a shelf: a definition came, or one went. */
export type ShelfChange<Definition> =
  | { readonly kind: 'added'; readonly definition: Definition }
  | { readonly kind: 'removed'; readonly key: string }

/** Puts a definition on a shelf. The caller has made sure that its key is free. For the catalog; so is the next one. */
export let addTo: <Definition>(shelf: Shelf<Definition>, definition: Definition) => void

/** Returns whether there was one. */
export let removeFrom: <Definition>(shelf: Shelf<Definition>, key: string) => boolean

/**
 * The definitions of one kind of feature, each under a key of its own. To be read only: what is added has to be checked,
 * which the catalog does.
 */
export class Shelf<Definition> {
  readonly #definitions = new Map<string, Definition>()
  readonly #listeners: ((change: ShelfChange<Definition>) => void)[] = []
  #sorted: readonly Definition[] | null = null
  #isUsed = false

  static {
    addTo = (shelf, definition) => shelf.#add(definition)
    removeFrom = (shelf, key) => shelf.#remove(key)
  }

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

  /** Runs the listener after each change, before the next request. */
  onChange(listener: (change: ShelfChange<Definition>) => void): void {
    this.#listeners.push(listener)
  }

  #add(definition: Definition): void {
    this.#isUsed = true
    this.#definitions.set(this.keyOf(definition), definition)
    this.#changed({ kind: 'added', definition })
  }

  #remove(key: string): boolean {
    if (!this.#definitions.delete(key)) return false
    this.#changed({ kind: 'removed', key })
    return true
  }

  #changed(change: ShelfChange<Definition>): void {
    this.#sorted = null
    for (const listener of this.#listeners) listener(change)
  }
}
