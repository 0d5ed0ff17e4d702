import { parse } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the files on the call stack, innermost first, including async callers that will resume after an `await`. */
export function callStackFiles(): readonly string[] {
  const { stackTraceLimit } = Error
  // oxlint-disable-next-line typescript/unbound-method -- only restored
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

/** Path of this file. Works in bundles, too, where `import.meta` can be empty. */
export const [ownFile = ''] = callStackFiles()

/** Whether a bundler of the application merged this file into another. False for the bundle of the published package. */
export const isBundled = !/[\\/](?:call-stack\.[jt]s|core[\\/]bundle[\\/](?:node|module)[\\/][^\\/]+)$/.test(ownFile)

export function workingDirectory(): string {
  try {
    return process.cwd()
  } catch {
    return parse(process.execPath).root
  }
}
