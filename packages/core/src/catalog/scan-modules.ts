import { existsSync, realpathSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Problems } from '../errors/problems.js'
import { featuresOf } from '../metadata/store.js'
import type { Class } from '../metadata/types.js'

/** A module that the scan looked at. */
export interface ScannedModule {
  /** Relative to the working directory. */
  readonly file: string
  /** Names of the exported classes with features. */
  readonly controllers: readonly string[]
  /** Why the module was not loaded. */
  readonly skipped?: string
}

export interface ScanResult {
  readonly controllers: readonly Class[]
  readonly modules: readonly ScannedModule[]
}

/** A module that takes longer is most likely waiting for the scan itself. */
const loadTimeoutMs = 10_000

const moduleFile = /(?<!\.d)\.[cm]?[jt]s$/
const testFile = /\.(test|spec)\.[cm]?[jt]s$/

/** Loads the modules under some folders, in the order of their paths, and picks the exported classes with features. */
export async function scanModules(
  folders: readonly (URL | string)[],
  beingEvaluated: ReadonlySet<string>,
  problems: Problems,
): Promise<ScanResult> {
  const files = (await Promise.all(folders.map((folder) => listModules(folder, problems)))).flat()
  const scanned = await Promise.all([...new Set(files)].map((file) => scanModule(file, beingEvaluated, problems)))
  return {
    controllers: [...new Set(scanned.flatMap((module) => module.classes))],
    modules: scanned.map(({ module }) => module),
  }
}

/**
 * The files whose modules are running right now: the entry point and everything on the call stack. Awaiting one of
 * them would wait for ever, because its top-level `await` waits for the scan. Call it before the first `await`.
 */
export function modulesBeingEvaluated(): ReadonlySet<string> {
  const files = new Set<string>()
  const entry = process.argv[1]
  if (entry !== undefined && existsSync(entry)) files.add(realpathSync(entry))
  for (const file of callStackFiles()) files.add(file.startsWith('file:') ? fileURLToPath(file) : file)
  return files
}

function callStackFiles(): string[] {
  const { stackTraceLimit } = Error
  // oxlint-disable-next-line typescript/unbound-method -- only put back, never called
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

async function listModules(folder: URL | string, problems: Problems): Promise<string[]> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && moduleFile.test(entry.name) && !testFile.test(entry.name))
      .map((entry) => realpathSync(join(entry.parentPath, entry.name)))
      .filter((file) => !file.includes('node_modules'))
      .toSorted()
  } catch {
    const message = `scan: there is no folder ${shown(path)}. Give a URL such as new URL('./tools/', import.meta.url).`
    problems.add('scan-folder-missing', message)
    return []
  }
}

interface Scanned {
  readonly module: ScannedModule
  readonly classes: readonly Class[]
}

async function scanModule(file: string, beingEvaluated: ReadonlySet<string>, problems: Problems): Promise<Scanned> {
  if (beingEvaluated.has(file)) {
    const skipped = 'it is still running and waits for this scan; move its classes to a module of their own'
    return { module: { file: shown(file), controllers: [], skipped }, classes: [] }
  }
  try {
    const exported = Object.values(await load(file))
    const classes = exported.filter((value): value is Class => typeof value === 'function' && hasFeatures(value))
    return { module: { file: shown(file), controllers: classes.map((controller) => controller.name) }, classes }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    problems.add('module-failed', `scan: ${shown(file)} could not be loaded: ${cause}`)
    return { module: { file: shown(file), controllers: [], skipped: cause }, classes: [] }
  }
}

async function load(file: string): Promise<object> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<never>((_resolve, reject) => {
    const message =
      `it did not finish within ${loadTimeoutMs / 1000} s. Either it imports a module that waits for this scan, ` +
      'or its own top-level await is slow. Move the classes to a module without either.'
    timer = setTimeout(() => reject(new Error(message)), loadTimeoutMs)
  })
  try {
    return await Promise.race([import(pathToFileURL(file).href) as Promise<object>, tooLong])
  } finally {
    clearTimeout(timer)
  }
}

function hasFeatures(value: object): boolean {
  return typeof (value as Class).prototype === 'object' && featuresOf(value as Class).length > 0
}

function shown(file: string): string {
  return relative(process.cwd(), file) || '.'
}
