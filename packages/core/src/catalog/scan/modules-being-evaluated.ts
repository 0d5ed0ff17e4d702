import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The files whose modules may be running right now: the entry point and everything on the call stack. Awaiting one of
 * them could take for ever, because its top-level `await` waits for the server. Call it before the first `await`.
 */
export function modulesBeingEvaluated(): ReadonlySet<string> {
  const entry = entryPoint()
  const running = callStackFiles().map((file) => (file.startsWith('file:') ? fileURLToPath(file) : file))
  return new Set(entry === undefined ? running : [entry, ...running])
}

/** `node .` and `node dist/main` name a file that they do not spell out. */
function entryPoint(): string | undefined {
  const named = process.argv[1]
  if (named === undefined) return undefined
  try {
    return realpathSync(createRequire(join(process.cwd(), 'entry.js')).resolve(named))
  } catch {
    return existsSync(named) ? realpathSync(named) : undefined
  }
}

/** Callers that were resumed after an `await` are among them. */
function callStackFiles(): string[] {
  const { stackTraceLimit } = Error
  // oxlint-disable-next-line typescript/unbound-method -- it is only put back
  const { prepareStackTrace } = Error
  try {
    Error.stackTraceLimit = 100
    Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName() ?? '')
    return new Error('call stack').stack as unknown as string[]
  } finally {
    Error.prepareStackTrace = prepareStackTrace
    Error.stackTraceLimit = stackTraceLimit
  }
}
