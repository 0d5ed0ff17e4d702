import type { AppContainer } from '../../container/app-container.js'
import type { InjectionToken } from '../../container/tsyringe.js'

/**
 * Finds singletons that depend on registrations of a child container. Each child container, or each server, creates its own
 * instance of such a singleton. Accepts cycles, and dependencies in any order: with `delay`, a dependency can be added after its
 * dependent.
 */
export class SingletonLevels {
  /**
   * Levels by token: the level of the deepest container with a registration of the token or of a dependency. 0: the root
   * container.
   */
  readonly #levels = new Map<InjectionToken, number>()
  readonly #singletons = new Set<InjectionToken>()
  readonly #usersOf = new Map<InjectionToken, Set<InjectionToken>>()

  constructor(private readonly container: AppContainer) {}

  addRegistered(token: InjectionToken): void {
    this.#raise(token, this.container.levelOf(token))
  }

  addUse(user: InjectionToken, used: InjectionToken): void {
    const users = this.#usersOf.get(used) ?? new Set()
    this.#usersOf.set(used, users.add(user))
    this.#raise(user, this.#levels.get(used) ?? 0)
  }

  addSingleton(token: InjectionToken): void {
    this.#singletons.add(token)
    this.container.keepAt(token, this.#levels.get(token) ?? 0)
  }

  #raise(token: InjectionToken, level: number): void {
    if (level <= (this.#levels.get(token) ?? 0)) return
    this.#levels.set(token, level)
    if (this.#singletons.has(token)) this.container.keepAt(token, level)
    else this.container.resolveAt(token, level)
    for (const user of this.#usersOf.get(token) ?? []) this.#raise(user, level)
  }
}
