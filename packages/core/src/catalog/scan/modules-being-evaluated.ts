import { realpathSync } from 'node:fs'
// Not by name: webpack replaces `createRequire`, and warns of paths that it cannot know.
import nodeModule from 'node:module'
import { join } from 'node:path'
import { callStackFiles, workingDirectory } from '../../copies/call-stack.js'

/**
 * The files whose modules may be running right now: the entry point and everything on the call stack. Awaiting one of
 * them could take for ever, because its top-level `await` waits for the server. Call it before the first `await`.
 */
export function modulesBeingEvaluated(): ReadonlySet<string> {
  const entry = entryPoint()
  const running = callStackFiles()
  return new Set(entry === undefined ? running : [entry, ...running])
}

/** `node .` and `node dist/main` name a file that they do not spell out. */
function entryPoint(): string | undefined {
  const named = process.argv[1]
  if (named === undefined) return undefined
  try {
    return realpathSync(nodeModule.createRequire(join(workingDirectory(), 'entry.js')).resolve(named))
  } catch {
    return realPathOf(named)
  }
}

/** Compiled programs of Bun have an entry point that is no file. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
