import type { Terminal } from './terminal.js'

/** Milliseconds for which repetitions are counted before their number is printed. */
const countMs = 5000

const maxErrors = 100

/** Prints errors in boxes. An error that repeats is printed once, and its repetitions are counted. */
export class GroupedBoxes {
  /** Numbers of repetitions that are not printed yet, by title and text. */
  readonly #repetitions = new Map<string, number>()
  #timer: NodeJS.Timeout | null = null

  constructor(private readonly terminal: Terminal) {}

  print(title: string, text: string): void {
    const box = `${title}\n${text}`
    const count = this.#repetitions.get(box)
    if (count !== undefined) {
      this.#repetitions.set(box, count + 1)
      this.#timer ??= setTimeout(() => this.#printCounts(), countMs).unref()
      return
    }
    if (this.#repetitions.size >= maxErrors) this.reset()
    this.#repetitions.set(box, 0)
    this.terminal.printBox('red', title, text)
  }

  /** Prints all further errors in full, because they belong to another version of the program. */
  reset(): void {
    this.#printCounts()
    this.#repetitions.clear()
  }

  #printCounts(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    for (const [box, count] of this.#repetitions) {
      if (count === 0) continue
      const [title] = box.split('\n')
      const times = count === 1 ? 'once more' : `${count} more times`
      this.terminal.print(`${this.terminal.style('red', 'repeated')} ${times}: ${title}`)
      this.#repetitions.set(box, 0)
    }
  }
}
