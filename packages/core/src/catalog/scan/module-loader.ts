import { realpathSync } from 'node:fs'
// This is a default import, because webpack would replace a named `createRequire` and warn about its dynamic paths.
import nodeModule from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { callStackFiles, workingDirectory } from '../../copies/call-stack.js'

export type ImportModule = (file: string) => Promise<object>

/**
 * Timeout of one import in milliseconds. A slower module most likely waits for the scan itself. The limit is below Fastify's
 * plugin timeout of 10 seconds, because the message of that timeout is less specific.
 */
const stallTimeoutMs = 8000

/**
 * Imports modules that might never finish loading: a module can import the entry point, which waits for the scan. Rejects pending
 * imports after a timeout, or as soon as the process has no other work left (`beforeExit`).
 */
export class ModuleLoader {
  readonly #stalled: Promise<never>
  readonly #timer: NodeJS.Timeout
  #stall: (reason: string) => void = () => undefined

  constructor(private readonly importModule: ImportModule = importNatively) {
    this.#stalled = new Promise((_resolve, reject) => {
      this.#stall = (reason) => reject(new Error(reason))
    })
    this.#stalled.catch(() => undefined)
    process.once('beforeExit', this.#onIdle)
    // `beforeExit` is not emitted while the process has other work, so a timer is needed as well. The timer is unreferenced:
    // otherwise, the timer itself would be such work.
    this.#timer = setTimeout(
      () => this.#stall(`it did not finish within ${stallTimeoutMs / 1000} s. ${advice}`),
      stallTimeoutMs,
    )
    this.#timer.unref()
  }

  async load(file: string): Promise<object> {
    try {
      return await Promise.race([this.importModule(file), this.#stalled])
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

function importNatively(file: string): Promise<object> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ pathToFileURL(file).href) as Promise<object>
}

const advice =
  'It imports a module that waits for the server to start, or its own top-level await waits for something that never ' +
  'happens. Scan a folder without it, or move its classes to a separate module.'

/**
 * Lists the files whose modules could be running now: the entry point and all files on the call stack. An import of such a file
 * could wait forever, because its top-level `await` could wait for the server. Call it before the first `await`.
 */
export function modulesBeingEvaluated(): ReadonlySet<string> {
  const entry = entryPoint()
  const running = callStackFiles()
  return new Set(entry === undefined ? running : [entry, ...running])
}

/**
 * Resolves the entry point: `node .` and `node dist/main` do not give the full path. Returns `undefined` if there is no such
 * file.
 */
function entryPoint(): string | undefined {
  const named = process.argv[1]
  if (named === undefined) return undefined
  try {
    return realpathSync(nodeModule.createRequire(join(workingDirectory(), 'entry.js')).resolve(named))
  } catch {
    return undefined
  }
}
