import { LimitError } from '@toolwright/core'

/** Changes of one thing that wait for each other: beyond them further ones are refused, so that a slow server fills no memory. */
const maxWaiting = 1000

interface Queue {
  last: Promise<unknown>
  length: number
}

/** Runs what concerns one thing one after the other, so that changes on one node do not compete with each other. */
export class Turns {
  readonly #queues = new Map<string, Queue>()

  async take<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(name) ?? { last: Promise.resolve(), length: 0 }
    if (queue.length >= maxWaiting) throw new LimitError('unavailable', 'Too many changes wait for each other')
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
