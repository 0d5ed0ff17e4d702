import { BootError, type Limits, type StoreOwner } from '@toolwright/core'
import type { Keys } from './keys.js'
import { longestMs } from './script.js'
import type { StoreConnection } from './store-connection.js'

interface StoresOwnerInit {
  readonly connection: StoreConnection
  readonly keys: Keys
  /** Limits that apply until a server passes its own limits. */
  readonly limits: Limits
  /** Limits that were passed to `connectRedis`. */
  readonly given: Partial<Limits>
}

/** The server that uses the stores. The stores use the limits of this server. */
export class StoresOwner {
  #limits: Limits

  constructor(private readonly init: StoresOwnerInit) {
    this.#limits = init.limits
  }

  get limits(): Limits {
    return this.#limits
  }

  /**
   * @throws BootError if the prefix belongs to another server, or if limits of this server differ from those of
   * `connectRedis`.
   */
  async prepare({ name, limits }: StoreOwner): Promise<void> {
    this.#checkLimits(limits)
    await this.#checkName(name)
    this.#limits = limits
  }

  #checkLimits(limits: Limits): void {
    const given = Object.entries(this.init.given) as [keyof Limits, number | undefined][]
    const others = given.filter(([limit, value]) => value !== undefined && value !== limits[limit])
    const diagnostics = others.map(([limit, value]) => ({
      code: 'bad-option' as const,
      message:
        `connectRedis: limits.${limit} is ${value}, and limits.${limit} of the server is ${limits[limit]}. ` +
        'Give limits to the server only: the stores take them from there.',
    }))
    if (diagnostics.length > 0) throw new BootError(diagnostics)
  }

  /** Checks that the prefix belongs to this server. A prefix belongs to the server that first booted with it. */
  async #checkName(name: string): Promise<void> {
    const { connection, keys } = this.init
    const key = keys.of('server')
    const isNew = await connection.run((client) => client.set(key, name, { PX: longestMs, NX: true }))
    if (isNew !== null) return
    const owner = await connection.run((client) => client.get(key))
    if (owner === null || owner === name) return
    const message =
      `connectRedis: the prefix '${keys.of()}' belongs to the server '${owner}', and this server is '${name}': they would ` +
      `share sessions and tasks. Give each server a separate prefix. If '${owner}' was renamed, delete the key '${key}'.`
    throw new BootError([{ code: 'bad-option', message }])
  }
}
