import type { AppContainer } from '../../container/app-container.js'
import type { InjectionToken } from '../../container/tsyringe.js'

/**
 * Finds the singletons that are made with something each server has its own one of, and makes them one for each server.
 * What is known may come in any order: behind `delay`, it comes after what needs it, and in circles.
 */
export class KeptForServer {
  readonly #ofServer = new Set<InjectionToken>()
  readonly #singletons = new Set<InjectionToken>()
  readonly #usersOf = new Map<InjectionToken, Set<InjectionToken>>()

  constructor(private readonly container: AppContainer) {}

  /** Each server has its own one, so it has its own one of what is made with it. */
  add(token: InjectionToken): void {
    if (this.#ofServer.has(token)) return
    this.#ofServer.add(token)
    if (this.#singletons.has(token)) this.container.keepForServer(token)
    for (const user of this.#usersOf.get(token) ?? []) this.add(user)
  }

  addUse(user: InjectionToken, used: InjectionToken): void {
    const users = this.#usersOf.get(used) ?? new Set()
    this.#usersOf.set(used, users.add(user))
    if (this.#ofServer.has(used)) this.add(user)
  }

  addSingleton(token: InjectionToken): void {
    this.#singletons.add(token)
    if (this.#ofServer.has(token)) this.container.keepForServer(token)
  }
}
