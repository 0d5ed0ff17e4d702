/** Something that is to be done only for what lasts. */
export interface DeferredTask {
  /** The event loop has turned. What is over by then has to see that for itself. */
  runDeferred(): void
}

/**
 * What one message has to have done when the event loop turns, such as to set its timers. Most calls are answered by then,
 * and setting a timer and clearing it again costs more than many a handler.
 *
 * Each message has its own: one for all would run the tasks of one call in the async context of another, and would lose
 * them all where a test puts a clock of its own in place of Node's.
 */
export class DeferredTasks {
  #immediate: NodeJS.Immediate | undefined = undefined
  #tasks: DeferredTask[] | null = null

  run(task: DeferredTask): void {
    if (this.#tasks !== null) {
      this.#tasks.push(task)
      return
    }
    this.#tasks = [task]
    this.#immediate = setImmediate(() => this.#runAll())
  }

  /** Everything is over. */
  cancel(): void {
    if (this.#tasks === null) return
    this.#tasks = null
    clearImmediate(this.#immediate)
  }

  #runAll(): void {
    const tasks = this.#tasks ?? []
    this.#tasks = null
    for (const task of tasks) task.runDeferred()
  }
}
