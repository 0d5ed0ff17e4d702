import { realpathSync } from 'node:fs'
import { claimStdout } from '@toolwright/server/host'
import open from 'open'
import { findEntry, rejectCharacters } from '../find-entry.js'
import { loadSettings, settingsPaths } from '../settings.js'
import { describeWatchError } from './describe-watch-error.js'
import { DevServer } from './dev-server.js'
import { isEmptied, isTsconfig } from './file-filter.js'
import { type FileChange, FolderWatcher } from './folder-watcher.js'
import { ProjectModules } from './project-modules.js'
import { StdioRelay } from './stdio-relay.js'
import { Terminal } from './terminal.js'
import { TypeChecker } from './type-checker.js'
import { Watchdog } from './watchdog.js'

export interface DevOptions {
  /** Path of the program; `undefined` if the program has to be found. */
  readonly entry: string | undefined
  readonly host: string | undefined
  readonly port: number | undefined
  readonly isStdio: boolean
  readonly hasInspector: boolean
  readonly checksTypes: boolean
  readonly opensBrowser: boolean
  readonly programArguments: readonly string[]
}

/** Milliseconds without further changes before the program is loaded: editors change several files at once. */
const quietMs = 10

/** Milliseconds to wait if files are missing or empty: some editors delete or empty a file before they write it. */
const doubtfulMs = 100

const closeMs = 1500

export async function runDev(options: DevOptions): Promise<void> {
  const root = realpathSync(process.cwd())
  const entry = realpathSync(findEntry(root, options.entry))
  rejectCharacters(entry, process.platform === 'win32' ? /#/ : /[#?\\]/)
  loadSettings(entry)
  // Standard output is claimed before other code can print: stdout is for messages.
  const output = options.isStdio ? claimStdout().output : null
  const stream = options.isStdio ? process.stderr : process.stdout
  const terminal = new Terminal(stream)
  process.argv = [process.argv[0] as string, entry, ...options.programArguments]
  const relay = output === null ? null : new StdioRelay(output)
  const watcher = new FolderWatcher((change) => onChange(change), reportOnce(terminal))
  const modules = await ProjectModules.open(root, entry, (path) => watcher.watchFolderOf(path))
  const watchdog = Watchdog.start()
  let types: TypeChecker | null = null
  const end = async (code: number): Promise<void> => {
    types?.stop()
    watcher.close()
    const closed = Promise.allSettled([server.close(), modules.close()])
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeMs))])
    exit(code)
  }
  const server = new DevServer({
    root,
    entry,
    host: options.host,
    port: options.port,
    hasInspector: options.hasInspector,
    modules,
    watcher,
    terminal,
    stream,
    relay,
    onStart: ({ url, inspector }) => {
      const page = inspector ?? url
      if (options.opensBrowser && page !== null) void open(page)
      // The compiler starts last, because it competes with the first load for the processor.
      if (options.checksTypes) types = TypeChecker.start(root, terminal, watchdog)
    },
    onListenError: () => void end(1),
  })
  Object.assign(globalThis, { [Symbol.for('toolwright.dev')]: server })
  const exit = guardProcess(server)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void end(0))
  const settings = settingsPaths(entry)
  for (const path of settings) watcher.watchFolderOf(path)
  const onChange = loaderOnChange(server, settings, (changes) => {
    if (changes.some(({ file }) => settings.includes(file))) loadSettings(entry)
    // The compiler itself does not notice that its options have changed.
    if (changes.some(({ file }) => isTsconfig(file))) types?.restart()
  })
  void server.load([])
  if (relay === null) return
  await relay.read(process.stdin)
  await relay.idle(closeMs)
  await end(0)
}

/** Returns a function that prints the first error of a watcher: most further errors have the same cause. */
function reportOnce(terminal: Terminal): (folder: string, error: NodeJS.ErrnoException) => void {
  let isReported = false
  return (folder, error) => {
    if (isReported) return
    isReported = true
    terminal.printBox('yellow', 'some changes will not be noticed', describeWatchError(folder, error))
  }
}

/** Keeps the process alive when the program fails or exits. @returns The original `process.exit`. */
function guardProcess(server: DevServer): typeof process.exit {
  const exit = process.exit.bind(process)
  process.exit = (code) => {
    if (server.isInProgram) server.exited(code)
    return exit(code)
  }
  process.on('uncaughtException', (error) =>
    server.report('uncaught exception', error, ': in production, the process would end'),
  )
  process.on('unhandledRejection', (error) => server.report('unhandled rejection', error))
  return exit
}

/**
 * Returns a function that loads the program after changes of its files, when no further change follows at once.
 *
 * @param settings Paths of further files that the program depends on.
 * @param beforeLoad Called with the changes before the program is loaded.
 */
function loaderOnChange(
  server: DevServer,
  settings: readonly string[],
  beforeLoad: (changes: readonly FileChange[]) => void,
): (change: FileChange) => void {
  const changes = new Map<string, FileChange>()
  let timer: NodeJS.Timeout | undefined
  const load = (): void => {
    const all = [...changes.values()]
    changes.clear()
    beforeLoad(all)
    void server.load(all)
  }
  return (change) => {
    if (!settings.includes(change.file) && !server.isAffectedBy(change)) return
    changes.set(change.file, change)
    clearTimeout(timer)
    const isDoubtful = [...changes.values()].some((each) => !each.exists || isEmptied(each))
    timer = setTimeout(load, isDoubtful ? doubtfulMs : quietMs)
  }
}
