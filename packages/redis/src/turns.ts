import { LimitError } from '@toolwright/core'

/**
 * Maximum number of waiting changes of one item. Further changes are rejected, so that a slow server does not fill the
 * memory.
 */
const maxWaiting = 1000

interface Queue {
  last: Promise<unknown>
  length: number
}

/** Runs the changes of one item in sequence, so that changes of the same node do not compete. */
export class Turns {
  readonly #queues = new Map<string, Queue>()

  async take<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(name) ?? { last: Promise.resolve(), length: 0 }
    if (queue.length >= maxWaiting) throw new LimitError('unavailable', 'Too many changes of the same item are waiting')
    const running = queue.last.then(run, run)
    this.#queues.set(name, queue)
    queue.last = running
    queue.length++
    try {
      return await running
    } finally {
      queue.length--
      if (queue.length === 0) this.#queues.delete(name)
    }
  }
}
