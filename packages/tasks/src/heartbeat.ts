import { randomUUID } from 'node:crypto'
import type { TaskStore } from './task-store.js'

/** Beats within the time after which a process counts as dead. */
const beatsPerTimeout = 6

/** Beats that must have reached the store before this process declares another process dead. */
const steadyBeats = 2

export type BeatingStore = Required<Pick<TaskStore, 'beat' | 'isAlive'>>

export function isBeating(store: TaskStore): store is TaskStore & BeatingStore {
  return 'beat' in store && 'isAlive' in store
}

/**
 * Reports to the store that this process is alive, and finds processes that are not. After an outage of the store, all processes
 * look dead for a moment: this process then waits until its own reports have reached the store for a while.
 */
export class Heartbeat {
  readonly node: string = randomUUID()
  readonly #intervalMs: number
  /** Processes that were alive at the last check, until the next beat. */
  readonly #alive = new Set<string>()
  #timer: NodeJS.Timeout | undefined = undefined
  #beatAt = Number.NEGATIVE_INFINITY
  #steadySince = Number.POSITIVE_INFINITY

  constructor(
    private readonly store: BeatingStore,
    private readonly timeoutMs: number,
  ) {
    this.#intervalMs = timeoutMs / beatsPerTimeout
  }

  open(onBeat: () => void): void {
    void this.beat()
    this.#timer = setInterval(() => void this.beat().then(onBeat), this.#intervalMs).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Never rejects: the log of the store reports failures. */
  async beat(): Promise<void> {
    this.#alive.clear()
    const now = performance.now()
    try {
      await this.store.beat(this.node, this.timeoutMs)
      if (!this.#isRecentAt(now)) this.#steadySince = now
      this.#beatAt = now
    } catch {
      this.#beatAt = Number.NEGATIVE_INFINITY
    }
  }

  /** Beats, unless the last beat is recent. Called before this process starts a task. */
  async ensureAlive(): Promise<void> {
    if (!this.#isRecentAt(performance.now())) await this.beat()
  }

  async isDead(node: string): Promise<boolean> {
    if (node === this.node || this.#alive.has(node) || !this.#isSteady()) return false
    if (!(await this.store.isAlive(node))) return true
    this.#alive.add(node)
    return false
  }

  #isRecentAt(now: number): boolean {
    return now - this.#beatAt < 2 * this.#intervalMs
  }

  #isSteady(): boolean {
    const now = performance.now()
    return this.#isRecentAt(now) && now - this.#steadySince >= steadyBeats * this.#intervalMs
  }
}
