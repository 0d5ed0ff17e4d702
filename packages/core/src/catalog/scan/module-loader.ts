import { pathToFileURL } from 'node:url'

/**
 * When no module has finished for so long, one of them is most likely waiting for the scan itself. Fastify gives up on a
 * plugin after 10 seconds, with a message that says less.
 */
const patienceMs = 8000

/**
 * Imports modules that might never finish: one that imports the module which starts the server waits for it, and that
 * one waits for the scan. When nothing is left to do in the whole process, whoever still waits will wait for ever.
 */
export class ModuleLoader {
  readonly #stalled: Promise<never>
  readonly #timer: NodeJS.Timeout
  #stall: (reason: string) => void = () => undefined

  constructor() {
    this.#stalled = new Promise((_resolve, reject) => {
      this.#stall = (reason) => reject(new Error(reason))
    })
    this.#stalled.catch(() => undefined)
    process.once('beforeExit', this.#onIdle)
    // For a process that something else keeps busy. Not keeping it busy itself lets the event above come.
    this.#timer = setTimeout(
      () => this.#stall(`it did not finish within ${patienceMs / 1000} s. ${advice}`),
      patienceMs,
    )
    this.#timer.unref()
  }

  async load(file: string): Promise<object> {
    const exported = import(/* webpackIgnore: true */ /* @vite-ignore */ pathToFileURL(file).href) as Promise<object>
    try {
      return await Promise.race([exported, this.#stalled])
    } finally {
      this.#timer.refresh()
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    process.off('beforeExit', this.#onIdle)
  }

  readonly #onIdle = (): void => this.#stall(`it can never finish. ${advice}`)
}

const advice =
  'It imports a module that waits for the server to start, or its own top-level await waits for something that does ' +
  'not come. Scan a folder without it, or move its classes to a module of their own.'
