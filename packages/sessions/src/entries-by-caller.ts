import { CallerUsage } from './caller-usage.js'

interface Sized {
  readonly bytes: number
}

interface EntriesOfCaller<Entry> {
  readonly entries: Set<Entry>
  bytes: number
}

/** Callers are ranked by their stored bytes, rounded to this number, so that small differences are ignored. */
const rankedBytes = 1024

export class EntriesByCaller<Entry extends Sized> {
  readonly #callers = new Map<string, EntriesOfCaller<Entry>>()
  readonly #usage = new CallerUsage()
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  add(caller: string, entry: Entry): void {
    const own = this.#callers.get(caller) ?? { entries: new Set(), bytes: 0 }
    this.#callers.set(caller, own)
    own.entries.add(entry)
    this.#changeBytes(caller, own, entry.bytes)
  }

  delete(caller: string, entry: Entry): void {
    const own = this.#callers.get(caller)
    if (own === undefined || !own.entries.delete(entry)) return
    this.#changeBytes(caller, own, -entry.bytes)
    if (own.entries.size === 0) this.#callers.delete(caller)
  }

  /** Returns the oldest entry of the caller with the most bytes, after `caller` has got `more` bytes. */
  oldestOfMost(caller: string, more: number): Entry | undefined {
    const [name = ''] = this.#usage
    const [most, own] = [this.#callers.get(name), this.#callers.get(caller)]
    const isOwn = own !== undefined && most !== undefined && own.bytes + more >= most.bytes
    const [oldest] = (isOwn ? own : most)?.entries ?? []
    return oldest
  }

  #changeBytes(caller: string, own: EntriesOfCaller<Entry>, bytes: number): void {
    const before = Math.ceil(own.bytes / rankedBytes)
    this.#bytes += bytes
    own.bytes += bytes
    const after = Math.ceil(own.bytes / rankedBytes)
    if (after !== before) this.#usage.set(caller, after)
  }
}
