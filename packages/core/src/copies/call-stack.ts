import { parse } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Paths of the files on the call stack, the innermost first. Callers that were resumed after an `await` are among them. */
export function callStackFiles(): readonly string[] {
  const { stackTraceLimit } = Error
  // oxlint-disable-next-line typescript/unbound-method -- it is only put back
  const { prepareStackTrace } = Error
  try {
    Error.stackTraceLimit = 100
    Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName() ?? '')
    const files = new Error('call stack').stack as unknown as readonly string[]
    return files.map((file) => (file.startsWith('file:') ? fileURLToPath(file) : file))
  } finally {
    Error.prepareStackTrace = prepareStackTrace
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** This file's path, also in a bundle, where `import.meta` may be empty. */
export const [ownFile = ''] = callStackFiles()

/** Whether a bundler of the application put this file into another one. The published package is a bundle, too. */
export const isBundled = !/[\\/](?:call-stack\.[jt]s|core[\\/]bundle[\\/][^\\/]+)$/.test(ownFile)

/** The root of the file system where the directory was removed while the program runs. */
export function workingDirectory(): string {
  try {
    return process.cwd()
  } catch {
    return parse(process.execPath).root
  }
}
