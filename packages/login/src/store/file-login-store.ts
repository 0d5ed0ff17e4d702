import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { appendFile, rename, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Gauge, LoginStore } from '@toolwright/core'
import { Entries } from './entries.js'

/** A line of the file: a stored value with its expiry in milliseconds, or a deleted key. */
type Line = readonly [key: string, value: string, until: number] | readonly [key: string]

/** Lines after which the file is written anew, in addition to two lines for each entry. */
const minLines = 1000

/**
 * Keeps logins in a file, for a server with one process. Every change is appended before the request is answered, so a restart or a
 * crash ends no login.
 */
export class FileLoginStore implements LoginStore {
  readonly isDurable = true
  readonly gauges: readonly Gauge[]
  readonly #entries = new Entries()
  readonly #file: string
  #lines = 0
  #writing: Promise<void> = Promise.resolve()
  #isRewriting = false

  /**
   * @param file Path of the file. Its folder is created. The values are encrypted.
   * @throws Error if the file cannot be read or written.
   */
  constructor(file: string) {
    this.gauges = this.#entries.gauges
    this.#file = resolve(file)
    mkdirSync(dirname(this.#file), { recursive: true })
    for (const line of readLines(this.#file)) this.#replay(line)
    // Written anew without expired entries, and to find out now whether the file can be written.
    const temporary = `${this.#file}.new`
    writeFileSync(temporary, this.#contents(), { mode: 0o600 })
    renameSync(temporary, this.#file)
  }

  get(key: string): string | null {
    return this.#entries.get(key)
  }

  async set(key: string, value: string, keptMs: number): Promise<void> {
    this.#entries.set(key, value, keptMs)
    await this.#append([key, value, Date.now() + keptMs])
  }

  async add(key: string, value: string, keptMs: number): Promise<boolean> {
    if (this.get(key) !== null) return false
    await this.set(key, value, keptMs)
    return true
  }

  async take(key: string): Promise<string | null> {
    const value = this.#entries.take(key)
    if (value !== null) await this.#append([key])
    return value
  }

  #replay([key, value, until]: Line): void {
    if (value === undefined) this.#entries.take(key)
    else this.#entries.restore(key, { value, until: until as number })
  }

  #append(line: Line): Promise<void> {
    this.#lines++
    const written = this.#writing.then(() => appendFile(this.#file, `${JSON.stringify(line)}\n`, { mode: 0o600 }))
    this.#writing = written.catch(() => undefined)
    if (this.#lines > minLines + 2 * this.#entries.size) this.#rewrite()
    return written
  }

  /** Writes the file anew, after all lines that are being written. */
  #rewrite(): void {
    if (this.#isRewriting) return
    this.#isRewriting = true
    const write = async (): Promise<void> => {
      const temporary = `${this.#file}.new`
      await writeFile(temporary, this.#contents(), { mode: 0o600 })
      await rename(temporary, this.#file)
    }
    // If it fails, the long file stays, and the next line tries again.
    this.#writing = this.#writing.then(write).catch(() => undefined)
    void this.#writing.finally(() => {
      this.#isRewriting = false
    })
  }

  #contents(): string {
    const lines = [...this.#entries.all()].map(([key, { value, until }]) => JSON.stringify([key, value, until]))
    this.#lines = lines.length
    return lines.map((line) => `${line}\n`).join('')
  }
}

function readLines(file: string): readonly Line[] {
  const text = readIfExists(file)
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Line]
    } catch {
      // A crash can cut off the last line.
      return []
    }
  })
}

function readIfExists(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
