import { singleton } from 'toolwright'

export interface Exhibit {
  readonly title: string
  readonly year: number
}

/** The exhibits of a museum, and its visitors. */
@singleton()
export class Museum {
  readonly #exhibits = new Map<number, Exhibit>([
    [1, { title: 'Difference Engine', year: 1832 }],
    [2, { title: 'Analytical Engine', year: 1837 }],
    [12, { title: 'Jacquard loom', year: 1804 }],
  ])
  readonly #visitors = new Map<string, number>([
    ['engines', 0],
    ['looms', 0],
  ])

  exhibit(number: number): Exhibit | undefined {
    return this.#exhibits.get(number)
  }

  get numbers(): readonly number[] {
    return [...this.#exhibits.keys()]
  }

  get rooms(): readonly string[] {
    return [...this.#visitors.keys()]
  }

  visitorsIn(room: string): number | undefined {
    return this.#visitors.get(room)
  }

  /** @returns Number of visitors in the room. */
  enter(room: string): number {
    const visitors = (this.#visitors.get(room) ?? 0) + 1
    this.#visitors.set(room, visitors)
    return visitors
  }
}
