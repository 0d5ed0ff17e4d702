import { setImmediate } from 'node:timers/promises'
import type { InputRequest } from '@toolwright/core'

interface Pending {
  readonly resolve: (answer: unknown) => void
  readonly reject: (reason: unknown) => void
}

type ClientRequests = Readonly<Record<string, InputRequest>>

export class TaskClientRequests {
  readonly #pending = new Map<string, Pending>()
  readonly #wanted = new Map<string, InputRequest>()
  #publishing: Promise<void> | null = null

  constructor(private readonly publish: (clientRequests: ClientRequests) => Promise<void>) {}

  async ask(key: string, request: InputRequest): Promise<unknown> {
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#pending.set(key, { resolve, reject })
        this.#wanted.set(key, request)
        this.#publishing ??= this.#publishWanted()
        this.#publishing.catch(reject)
      })
    } finally {
      this.#pending.delete(key)
    }
  }

  isPending(key: string): boolean {
    return this.#pending.has(key)
  }

  answered(answers: Readonly<Record<string, unknown>>): void {
    for (const [key, { resolve }] of this.#pending) {
      if (Object.hasOwn(answers, key)) resolve(answers[key])
    }
  }

  reject(reason: Error): void {
    for (const { reject } of this.#pending.values()) reject(reason)
  }

  /** Publishes the requests of one turn of the event loop together. */
  async #publishWanted(): Promise<void> {
    await setImmediate()
    const clientRequests = Object.fromEntries(this.#wanted)
    this.#wanted.clear()
    this.#publishing = null
    await this.publish(clientRequests)
  }
}
