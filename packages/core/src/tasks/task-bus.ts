import type { Task } from './task.js'

/**
 * Carries each change of a task to whoever runs its handler and to the clients that listen. One that spans processes
 * lets them be in different ones.
 */
export interface TaskBus {
  publish(task: Task): void
  /** @returns Ends the subscription. */
  subscribe(listener: (task: Task) => void): () => void
}

/** The embedded default: within this process. */
export class InProcessTaskBus implements TaskBus {
  readonly #listeners = new Set<(task: Task) => void>()

  publish(task: Task): void {
    for (const listener of this.#listeners) listener(task)
  }

  subscribe(listener: (task: Task) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
