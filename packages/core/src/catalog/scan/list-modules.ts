import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'

/** A file or folder that a scan leaves out. */
export interface LeftOut {
  /** Path relative to the working directory. Paths of folders end with a slash. */
  readonly path: string
  readonly reason: string
}

export interface ListedModules {
  readonly files: readonly string[]
  readonly leftOut: readonly LeftOut[]
}

const moduleFile = /(?<!\.d)\.[cm]?[jt]s$/

const conventionalFolders: Readonly<Record<string, string>> = {
  node_modules: 'dependencies',
  __tests__: 'tests',
  __test__: 'tests',
  __specs__: 'tests',
  __e2e__: 'tests',
  __mocks__: 'mocks',
  __fixtures__: 'fixtures of tests',
  __stories__: 'stories',
  __bench__: 'benchmarks',
  __benchmarks__: 'benchmarks',
}

const conventionalFiles: readonly (readonly [RegExp, string])[] = [
  [/\.([\w-]+-)?(test|spec|test-d|e2e|cy)\.[cm]?[jt]s$/, 'a test'],
  [/\.mocks?\.[cm]?[jt]s$/, 'a mock'],
  [/\.(story|stories)\.[cm]?[jt]s$/, 'a story'],
  [/\.(bench|benchmark)\.[cm]?[jt]s$/, 'a benchmark'],
]

/**
 * Lists the modules below a folder. Follows links last: if a scan finds a folder and a link to it, the modules are listed under
 * the path of the folder.
 *
 * @throws Error of the file system when a folder cannot be read.
 */
export function listModules(folder: string): ListedModules {
  const lister = new ModuleLister()
  lister.list(folder)
  lister.followLinks()
  return { files: lister.files.toSorted(), leftOut: lister.leftOut }
}

class ModuleLister {
  readonly files: string[] = []
  readonly leftOut: LeftOut[] = []
  readonly #links: string[] = []
  readonly #listed = new Set<string>()

  list(folder: string): void {
    const entries = readdirSync(folder, { withFileTypes: true })
    this.#listed.add(realpathSync(folder))
    for (const entry of entries) this.#take(join(folder, entry.name), entry)
  }

  followLinks(): void {
    for (const link of this.#links) this.#follow(link)
  }

  #take(path: string, entry: Dirent): void {
    if (entry.isSymbolicLink()) this.#links.push(path)
    else if (entry.isDirectory()) this.#takeFolder(path, entry.name)
    else if (entry.isFile()) this.#takeFile(path, entry.name)
  }

  #takeFolder(path: string, name: string): void {
    const content = Object.hasOwn(conventionalFolders, name) ? conventionalFolders[name] : undefined
    if (content === undefined) this.list(path)
    else this.leftOut.push({ path: `${path}${sep}`, reason: `a folder of ${content}` })
  }

  #takeFile(path: string, name: string): void {
    if (!moduleFile.test(name)) return
    const kind = conventionalFiles.find(([pattern]) => pattern.test(name))?.[1]
    if (kind === undefined) this.files.push(path)
    else this.leftOut.push({ path, reason: `${kind}, by its name` })
  }

  #follow(link: string): void {
    const name = basename(link)
    const target = targetOf(link)
    if (target === undefined) this.leftOut.push({ path: link, reason: 'a broken link' })
    else if (target.isFile()) this.#takeFile(link, name)
    else if (target.isDirectory()) this.#followToFolder(link, name)
  }

  #followToFolder(link: string, name: string): void {
    const target = realpathSync(link)
    const leaveOut = (reason: string): unknown => this.leftOut.push({ path: `${link}${sep}`, reason })
    if (this.#listed.has(target)) leaveOut('a link to a folder that is scanned anyway')
    else if (isWithin(target, realpathSync(dirname(link)))) leaveOut('a link to a parent folder')
    else this.#takeFolder(link, name)
  }
}

function targetOf(link: string): Stats | undefined {
  try {
    return statSync(link)
  } catch {
    return undefined
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way.split(sep)[0] !== '..' && !isAbsolute(way)
}
