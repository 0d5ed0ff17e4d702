import { singleton } from 'toolwright'

export interface User {
  readonly name: string
  readonly role: string
}

const capacity = 1000

/** The users and settings that the tools manage. */
@singleton()
export class Directory {
  readonly #users = new Map<string, User>([
    ['alice', { name: 'alice', role: 'Admin' }],
    ['mara', { name: 'mara', role: 'Manager' }],
    ['bob', { name: 'bob', role: 'User' }],
  ])
  theme = 'light'

  get users(): readonly User[] {
    return [...this.#users.values()]
  }

  /** @returns `false` if the directory is full, or if a user has this name. */
  add(user: User): boolean {
    if (this.#users.has(user.name) || this.#users.size >= capacity) return false
    this.#users.set(user.name, user)
    return true
  }

  remove(name: string): boolean {
    return this.#users.delete(name)
  }
}
