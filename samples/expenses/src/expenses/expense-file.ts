import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface Expense {
  readonly id: number
  /** ISO 8601: `2030-01-31`. */
  readonly date: string
  readonly category: string
  readonly euros: number
}

interface Content {
  readonly lastId: number
  readonly expenses: readonly Expense[]
}

/**
 * Stores expenses in a JSON file. Only one process may use a file: for several,
 * use a database.
 */
export class ExpenseFile {
  #content: Content
  /** The last change. Each change waits for the change before it. */
  #changing: Promise<unknown> = Promise.resolve()

  /** Use {@link ExpenseFile.open}, which reads the file. */
  constructor(
    private readonly file: string,
    content: Content,
  ) {
    this.#content = content
  }

  /**
   * Reads the file. A missing file is created by the first change.
   * @throws Error if the file is not JSON.
   */
  static async open(file: string): Promise<ExpenseFile> {
    const text = await readFile(file, 'utf8').catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      },
    )
    return new ExpenseFile(
      file,
      text === null
        ? { lastId: 0, expenses: [] }
        : (JSON.parse(text) as Content),
    )
  }

  list(category?: string): readonly Expense[] {
    const { expenses } = this.#content
    return category === undefined
      ? expenses
      : expenses.filter((expense) => expense.category === category)
  }

  add(expense: Omit<Expense, 'id'>): Promise<Expense> {
    return this.#change(({ lastId, expenses }) => {
      const added = { id: lastId + 1, ...expense }
      return [{ lastId: added.id, expenses: [...expenses, added] }, added]
    })
  }

  /** @returns Whether the expense existed. Its id is not used again. */
  remove(id: number): Promise<boolean> {
    return this.#change(({ lastId, expenses }) => {
      const left = expenses.filter((expense) => expense.id !== id)
      return [{ lastId, expenses: left }, left.length < expenses.length]
    })
  }

  /**
   * Makes a change after all earlier changes. The change counts only if it was
   * written.
   */
  #change<Result>(
    make: (content: Content) => readonly [Content, Result],
  ): Promise<Result> {
    const change = this.#changing.then(async () => {
      const [content, result] = make(this.#content)
      if (content.expenses.length !== this.#content.expenses.length)
        await this.#write(content)
      this.#content = content
      return result
    })
    this.#changing = change.catch(() => undefined)
    return change
  }

  /**
   * Replaces the file at once, so that a crash leaves the old or the new
   * content.
   */
  async #write(content: Content): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true })
    await writeFile(`${this.file}.new`, `${JSON.stringify(content, null, 2)}\n`)
    await rename(`${this.file}.new`, this.file)
  }
}
