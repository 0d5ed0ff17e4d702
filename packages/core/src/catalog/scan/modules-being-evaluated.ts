import { realpathSync } from 'node:fs'
// A default import: webpack replaces a named `createRequire`, and warns about dynamic paths.
import nodeModule from 'node:module'
import { join } from 'node:path'
import { callStackFiles, workingDirectory } from '../../copies/call-stack.js'

/**
 * Lists the files whose modules may be running now: the entry point and all files on the call stack. Awaiting their import
 * could take forever, because their top-level `await` may wait for the server. Call it before the first `await`.
 */
export function modulesBeingEvaluated(): ReadonlySet<string> {
  const entry = entryPoint()
  const running = callStackFiles()
  return new Set(entry === undefined ? running : [entry, ...running])
}

/** Resolves the entry point: `node .` and `node dist/main` do not give the full path. */
function entryPoint(): string | undefined {
  const named = process.argv[1]
  if (named === undefined) return undefined
  try {
    return realpathSync(nodeModule.createRequire(join(workingDirectory(), 'entry.js')).resolve(named))
  } catch {
    return realPathOf(named)
  }
}

/** Resolves links. `undefined` for a missing file, such as the entry point of a compiled Bun program. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
