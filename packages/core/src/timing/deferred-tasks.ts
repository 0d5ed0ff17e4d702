/** A task that only runs if the message is not answered within one turn of the event loop. */
export interface DeferredTask {
  /** Called in the next turn of the event loop, in which the call could already have ended. */
  runDeferred(): void
}

/**
 * Tasks of one message for the next turn of the event loop, such as starting its timers. Most calls end before that turn, and
 * setting and clearing a timer takes longer than many handlers.
 *
 * Each message has its own instance. A shared instance would run tasks in the async context of another call, and would lose all
 * tasks when a test replaces Node's timers.
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
