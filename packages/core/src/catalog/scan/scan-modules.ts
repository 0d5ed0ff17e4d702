import { realpathSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBundled, workingDirectory } from '../../copies/call-stack.js'
import { BootError } from '../../errors/boot-error.js'
import { type Diagnostics, describeThrown } from '../../errors/diagnostics.js'
import { toError } from '../../errors/to-error.js'
import {
  controllerOptionsOf,
  diagnosticsOf,
  featuresOf,
  isAbstract,
  reportRecorded,
  watchRecords,
} from '../../metadata/store.js'
import { type Class, isClass } from '../../metadata/types.js'
import { type LeftOut, type ListedModules, listModules } from './list-modules.js'
import { findMissingSources } from './missing-sources.js'
import { type ImportModule, ModuleLoader } from './module-loader.js'

export interface ScannedModule {
  /** Path relative to the working directory. */
  readonly file: string
  /** Names of the exported classes with features. */
  readonly controllers: readonly string[]
  /** Names of the exported classes with `abstract: true`, of which only subclasses are served. */
  readonly abstract?: readonly string[]
  /** Path of the module's source file, if that file no longer exists. Left out if the source files of all modules are missing. */
  readonly missingSource?: string
  /** The reason why the module was not loaded. */
  readonly skipped?: string
}

export type ClassFiles = ReadonlyMap<Class, string>

export interface ScanResult {
  readonly controllers: readonly Class[]
  readonly files: ClassFiles
  readonly modules: readonly ScannedModule[]
  readonly leftOut: readonly LeftOut[]
  readonly hints: readonly string[]
}

interface ScanOptions {
  readonly folders: readonly (URL | string)[]
  readonly beingEvaluated: ReadonlySet<string>
  readonly listed: readonly Class[]
  readonly importModule?: ImportModule | undefined
}

export async function scanModules(options: ScanOptions, diagnostics: Diagnostics): Promise<ScanResult> {
  const { folders, beingEvaluated } = options
  const diagnosticsBefore = diagnostics.count
  const listed = folders.map((folder) => listFolder(folder, diagnostics))
  const files = distinctFiles(listed.flatMap((each) => each.files))
  const leftOut = distinctLeftOut(listed.flatMap((each) => each.leftOut))
  const loader = new ModuleLoader(options.importModule)
  const decorated = new Set<object>()
  const unwatch = watchRecords((target) => decorated.add(target))
  const isBeingEvaluated = (file: string): boolean => beingEvaluated.has(file) || beingEvaluated.has(realpathSync(file))
  const loaded = Promise.all(files.map((file) => scanModule(file, isBeingEvaluated(file), loader)))
  const [found, missingSources] = await Promise.all([loaded, findMissingSources(files)])
  loader.close()
  unwatch()
  const scanned = found.map((each, index) => withMissingSource(each, missingSources.get(files[index] as string)))
  // Reports failures in the order of the files, regardless of which import ended first.
  for (const { module, failure } of scanned) {
    if (failure !== undefined) reportFailure(module, failure.thrown, diagnostics)
  }
  // Includes classes that are not exported: their diagnostics can explain why a feature is missing.
  for (const target of decorated) {
    const { constructor } = typeof target === 'function' ? { constructor: target } : target
    if (isClass(constructor)) reportRecorded(constructor, diagnostics)
  }
  const controllers = [...new Set(scanned.flatMap(({ classes }) => classes))]
  const modules = scanned.map(({ module }) => module)
  const foundNothing = folders.length > 0 && controllers.length === 0 && diagnostics.count === diagnosticsBefore
  const hints = findMisplaced(scanned, decorated, [...options.listed, ...controllers])
  if (options.listed.length === 0 && foundNothing) {
    diagnostics.add('no-features', describeNothing(folders, { modules, leftOut, hints }))
  }
  return { controllers, files: filesOf(scanned), modules, leftOut, hints }
}

/** Maps each class to the exporting module with the fewest classes: a module with many classes probably re-exports them. */
function filesOf(scanned: readonly Scanned[]): ClassFiles {
  const files = new Map<Class, string>()
  for (const { module, classes } of scanned.toSorted((one, other) => one.classes.length - other.classes.length)) {
    for (const found of classes) if (!files.has(found)) files.set(found, module.file)
  }
  return files
}

function describeNothing(
  folders: readonly (URL | string)[],
  { modules, leftOut, hints }: Pick<ScanResult, 'modules' | 'leftOut' | 'hints'>,
): string {
  if (modules.length === 0) {
    const where = folders.map(String).join(', ')
    return [
      `scan: there is no module in ${where} (tests are ignored). Build first, and scan the folder that your build writes.`,
      ...leftOut.slice(0, 5).map(({ path, reason }) => `${path} was left out: ${reason}.`),
    ].join(' ')
  }
  const skipped = modules.filter((module) => module.skipped !== undefined)
  const counted = `${modules.length} ${modules.length === 1 ? 'module' : 'modules'}`
  return [
    `scan: of the ${counted} in ${folders.map(String).join(', ')}, none exports a class with a decorated method.`,
    ...skipped.map(({ file, skipped: reason }) => `${file} was not loaded: ${reason}.`),
    ...modules.flatMap(({ file, abstract = [] }) => abstract.map((name) => `${name} of ${file} is abstract.`)),
    ...hints,
    'Export the class, or list it in `controllers`.',
  ].join(' ')
}

/**
 * Removes duplicates: because of links, a file can have several paths. Keeps the first path of each file as it is, unresolved.
 * With `--preserve-symlinks`, Node would load the resolved path as another module, with another copy of this package.
 */
function distinctFiles(paths: readonly string[]): readonly string[] {
  const byTarget = new Map<string, string>()
  for (const path of paths) {
    const target = realpathSync(path)
    if (!byTarget.has(target)) byTarget.set(target, path)
  }
  return [...byTarget.values()]
}

function listFolder(folder: URL | string, diagnostics: Diagnostics): ListedModules {
  try {
    return listModules(String(folder).startsWith('file:') ? fileURLToPath(folder) : String(folder))
  } catch (error) {
    const advice = isBundled
      ? 'This program is a bundle, and a bundle has no folders: list the classes in `controllers`.'
      : `${whereFrom(folder)}Give one that exists, such as new URL('./tools/', import.meta.url).`
    const message = `scan: the folder ${String(folder)} cannot be read: ${describeThrown(error)}. ${advice}`
    diagnostics.add('scan-folder-missing', message)
    return { files: [], leftOut: [] }
  }
}

function distinctLeftOut(leftOut: readonly LeftOut[]): readonly LeftOut[] {
  const reasons = new Map(
    leftOut.map(({ path, reason }) => [shortPath(path) + (path.endsWith(sep) ? sep : ''), reason]),
  )
  return [...reasons].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([path, reason]) => ({ path, reason }))
}

function whereFrom(folder: URL | string): string {
  if (String(folder).startsWith('file:') || isAbsolute(String(folder))) return ''
  return `A relative path is resolved from the working directory, ${workingDirectory()}. `
}

interface Scanned {
  readonly module: ScannedModule
  readonly classes: readonly Class[]
  readonly empty: readonly string[]
  readonly failure?: { readonly thrown: unknown }
}

async function scanModule(file: string, isBeingEvaluated: boolean, loader: ModuleLoader): Promise<Scanned> {
  const found = { file: shortPath(file), controllers: [] }
  if (isBeingEvaluated) {
    const skipped = 'it starts the server, so the scan cannot wait for it; move its classes to a separate module'
    return { module: { ...found, skipped }, classes: [], empty: [] }
  }
  try {
    const exported = Object.values(await loader.load(file))
    const constructors = exported.filter(isConstructor)
    const abstract = constructors.filter(isAbstract)
    const concrete = constructors.filter((value) => !isAbstract(value))
    const classes = concrete.filter((value) => hasFeatures(value) || diagnosticsOf(value).length > 0)
    const empty = concrete.filter((value) => controllerOptionsOf(value) !== undefined && !hasFeatures(value))
    const module = {
      ...found,
      controllers: namesOf(classes),
      ...(abstract.length === 0 ? {} : { abstract: namesOf(abstract) }),
    }
    return { module, classes, empty: namesOf(empty) }
  } catch (error) {
    return { module: found, classes: [], empty: [], failure: { thrown: error } }
  }
}

function withMissingSource(scanned: Scanned, source: string | undefined): Scanned {
  if (source === undefined) return scanned
  return { ...scanned, module: { ...scanned.module, missingSource: shortPath(source) } }
}

function namesOf(classes: readonly Class[]): readonly string[] {
  return classes.map(({ name }) => name)
}

function reportFailure({ file, missingSource }: ScannedModule, thrown: unknown, diagnostics: Diagnostics): void {
  if (thrown instanceof BootError) {
    // A decorator threw the error: report its diagnostics rather than a failed module.
    for (const { code, message } of thrown.diagnostics) diagnostics.add(code, `scan: ${file}: ${message}`)
    return
  }
  const reason = describeFailure(file, thrown)
  const advice =
    missingSource === undefined
      ? reason
      : `${reason.replace(/\.$/, '')}. Its source ${missingSource} is gone: empty the folder before each build.`
  diagnostics.add('module-failed', `scan: ${file} could not be loaded: ${advice}`, thrown)
}

function describeFailure(file: string, error: unknown): string {
  const message = describeThrown(error)
  if (isTypeScriptForNode(file, error)) return `${message}. ${adviceOnTypeScript()}`
  // A circular import causes this error if a decorator uses a class that is not initialized yet.
  if (/before initialization/.test(message)) {
    return `${message}. Files that import each other cause this: move what both need to a separate file.`
  }
  return message
}

const typeScriptErrors = new Set<unknown>([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_INVALID_TYPESCRIPT_SYNTAX',
])

/** Messages of Node after it has stripped the types: for decorators, imports of types, and imports of the compiled file. */
const leftInStrippedFile =
  /^Invalid or unexpected token$|does not provide an export named|^Cannot find module '.*\.[cm]?js' imported from/

/**
 * Whether Node failed to load TypeScript. Older versions of Node do not support TypeScript, and newer versions only strip the
 * types.
 */
function isTypeScriptForNode(file: string, error: unknown): boolean {
  const { message, code } = toError(error) as Error & { readonly code?: unknown }
  return typeScriptErrors.has(code) || (/\.[cm]?ts$/.test(file) && leftInStrippedFile.test(message))
}

/**
 * Returns the advice for the current runner. Vitest compiles only modules that tests import. The scan runs in an installed package,
 * so Node loads the scanned modules without compiling them.
 */
function adviceOnTypeScript(): string {
  return process.env['VITEST'] === undefined
    ? 'Build first and scan the JavaScript, or start Node with a loader for TypeScript: ' +
        '`node --import @oxc-node/core/register src/main.ts`.'
    : 'Vitest does not compile scanned modules: list the classes in `controllers`.'
}

/**
 * Finds classes that were probably meant to be served.
 *
 * @param decorated Classes and prototypes that were decorated while the modules were loaded.
 */
function findMisplaced(
  scanned: readonly Scanned[],
  decorated: ReadonlySet<object>,
  served: readonly Class[],
): readonly string[] {
  const isServed = (target: object): boolean =>
    served.some(({ prototype }) => target === prototype || Object.prototype.isPrototypeOf.call(target, prototype))
  const hidden = [...decorated].filter(
    (target) => typeof target === 'object' && !isServed(target) && !isAbstract(target.constructor as Class),
  )
  return [
    ...hidden.map(({ constructor }) => `${constructor.name} has decorated methods, but no scanned module exports it.`),
    ...scanned.flatMap(({ module, empty }) =>
      empty.map((name) => `${name} of ${module.file} is a controller without a decorated method.`),
    ),
  ]
}

function isConstructor(value: unknown): value is Class {
  return typeof value === 'function' && typeof value.prototype === 'object'
}

function hasFeatures(value: Class): boolean {
  return featuresOf(value).length > 0
}

function shortPath(file: string): string {
  return relative(workingDirectory(), file) || '.'
}
