import { basename, relative } from 'node:path'
import type { AddedResource, Catalog } from '@toolwright/core'
import { Diagnostics, describeThrown } from '@toolwright/core/options'
import { type FrontMatter, FrontMatterError, readFrontMatter } from './front-matter.js'
import { listFiles, type SkillPath } from './list-files.js'
import type { SkillDefinition } from './skill-definition.js'
import { type LoadedFile, SkillFiles } from './skill-files.js'

interface SkillLimits {
  readonly maxSkills: number
  /** Maximum size of all files together, in bytes. */
  readonly maxSkillBytes: number
}

const main = 'SKILL.md'

// Every host must accept skills up to these limits. Spec: Skills extension, "Limits".
const maxFilesOfSkill = 512
const maxBytesOfSkill = 16 * 1024 * 1024

/**
 * Reads the skills in the folders, and adds their files to the resources of the catalog. Reads all files immediately.
 *
 * @returns The skills, sorted by URI.
 * @throws BootError that lists all problems.
 */
export function readSkills(
  folders: readonly (URL | string)[],
  { catalog, limits }: { readonly catalog: Catalog; readonly limits: SkillLimits },
): readonly SkillDefinition[] {
  const diagnostics = new Diagnostics()
  const reader = new SkillReader(catalog, limits, diagnostics)
  for (const folder of folders) reader.read(folder)
  diagnostics.throwIfAny()
  for (const resource of reader.resources.values()) catalog.addResource(resource)
  return [...reader.skills.values()].toSorted(byUri)
}

class SkillReader {
  readonly #files: SkillFiles
  readonly #byName = new Map<string, string>()
  readonly skills = new Map<string, SkillDefinition>()
  readonly resources = new Map<string, AddedResource>()

  constructor(
    private readonly catalog: Catalog,
    private readonly limits: SkillLimits,
    private readonly diagnostics: Diagnostics,
  ) {
    this.#files = new SkillFiles(limits.maxSkillBytes)
  }

  read(folder: URL | string): void {
    const before = this.diagnostics.count
    const paths = listFiles(folder, this.diagnostics)
    const mains = paths.filter(({ path }) => basename(path) === main)
    for (const found of mains) this.#readSkill(found, paths)
    this.#findMisspelt(paths, mains)
    if (mains.length === 0 && this.diagnostics.count === before) {
      this.diagnostics.add(
        'bad-skill',
        `skills: no ${main} was found in the subfolders of ${String(folder)}. Give each skill a folder with a ${main}.`,
      )
    }
  }

  /**
   * Reports a misspelt `SKILL.md`, such as `skill.md`. Otherwise, the skill would be missing without an error. Inside another
   * skill, the misspelt file is not reported.
   */
  #findMisspelt(paths: readonly SkillPath[], mains: readonly SkillPath[]): void {
    const named = paths.filter(({ path }) => basename(path).toLowerCase() === main.toLowerCase())
    const isWithinSkill = (file: SkillPath): boolean => mains.some((found) => filesBelow(found, [file]).length > 0)
    for (const found of named.filter((file) => !isWithinSkill(file))) {
      this.diagnostics.add(
        'bad-skill',
        `skills: ${found.path} is not a skill, because it is not named ${main}. Rename it.`,
      )
    }
  }

  #readSkill(found: SkillPath, paths: readonly SkillPath[]): void {
    try {
      this.#define(found, filesBelow(found, paths))
    } catch (error) {
      const outcome = error instanceof FrontMatterError ? '' : ' cannot be served:'
      this.diagnostics.add('bad-skill', `skills: ${found.path}${outcome} ${describeThrown(error)}. Correct it.`)
    }
  }

  #define(found: SkillPath, paths: readonly SkillPath[]): void {
    const folderName = found.segments.at(-2)
    if (folderName === undefined) {
      throw new FrontMatterError('is directly in the folder given to `skills`. Give the parent folder')
    }
    if (paths.length > maxFilesOfSkill)
      throw new Error(`its skill has ${paths.length} files. The limit is ${maxFilesOfSkill}`)
    const files = paths.map((path) => this.#files.load(path))
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    if (bytes > maxBytesOfSkill) throw new Error(`its skill has ${bytes} bytes. The limit is ${maxBytesOfSkill}`)
    const own = this.#files.load(found)
    if (typeof own.content !== 'string') throw new FrontMatterError('is not text in UTF-8')
    const frontMatter = readFrontMatter(own.content)
    if (frontMatter.name !== folderName) {
      throw new FrontMatterError(
        `has the name '${frontMatter.name}', but its folder is '${folderName}': give both the same name`,
      )
    }
    this.#claimName(frontMatter.name, found.path)
    this.#add(own, frontMatter, files)
  }

  /** Reports duplicate names, because hosts show skills by name. Spec: Skills extension, "Names". */
  #claimName(name: string, path: string): void {
    const other = this.#byName.get(name)
    if (other === undefined) this.#byName.set(name, path)
    else this.diagnostics.add('duplicate-name', `Skill '${name}' is at both ${other} and ${path}. Rename one.`)
    if (this.#byName.size === this.limits.maxSkills + 1) {
      this.diagnostics.add('bad-skill', `skills: there are more than ${this.limits.maxSkills}. Raise limits.maxSkills.`)
    }
  }

  #add(own: LoadedFile, frontmatter: FrontMatter, files: readonly LoadedFile[]): void {
    if (this.skills.has(own.uri)) return
    for (const file of files) {
      const resource = toResource(file, file === own ? frontmatter : { name: basename(file.path) })
      const existing = this.resources.get(file.uri) ?? this.catalog.resources.get(file.uri)
      // The files of a nested skill belong to the outer skill, too. Only the nested skill describes the resource of its `SKILL.md`.
      if (existing !== undefined && existing.origin !== resource.origin) {
        const message = `Resource '${file.uri}' is declared by both ${existing.origin} and ${resource.origin}. Rename one.`
        this.diagnostics.add('duplicate-name', message)
      } else if (existing === undefined || file === own) this.resources.set(file.uri, resource)
    }
    const listed = files.map(({ uri, digest, size }) => ({ uri, digest, size }))
    this.skills.set(own.uri, { uri: own.uri, frontmatter, resources: listed.toSorted(byUri) })
  }
}

function toResource(
  { uri, size, mimeType, content, path }: LoadedFile,
  { name, description }: { readonly name: string; readonly description?: string },
): AddedResource {
  const described = description === undefined ? { name } : { name, description }
  return { uri, ...described, mimeType, size, origin: relative('', path), handler: () => content }
}

function byUri(a: { readonly uri: string }, b: { readonly uri: string }): number {
  return a.uri < b.uri ? -1 : 1
}

function filesBelow({ segments }: SkillPath, paths: readonly SkillPath[]): readonly SkillPath[] {
  const folder = segments.slice(0, -1)
  return paths.filter((path) => folder.every((segment, index) => path.segments[index] === segment))
}
