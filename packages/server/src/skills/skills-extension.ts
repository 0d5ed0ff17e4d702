import type { Catalog, Extension } from '@toolwright/core'
import { unchecked } from '@toolwright/core/options'
import type { SkillDefinition } from './skill-definition.js'
import { createSkillMethods } from './skill-methods.js'

export const skillOptions = {
  /**
   * Folders of skills. A skill is a folder with a `SKILL.md`.
   * @see docs/how-to/serve-skills.md
   */
  skills: unchecked<URL | string | readonly (URL | string)[]>('a path or `file:` URL, or several'),
}

interface SkillsInit {
  readonly skills: URL | string | readonly (URL | string)[] | undefined
  readonly pageSize: number
  readonly compat: { readonly alwaysNextCursor: boolean }
}

/** Serves skills: folders of instructions for agents. The files of skills are served as resources. */
export function createSkillsExtension({ skills: given, pageSize, compat }: SkillsInit): Extension {
  const folders = given === undefined ? [] : ([given].flat() as readonly (URL | string)[])
  const uris = new Set<string>()
  let skills: readonly SkillDefinition[] = []
  let catalog: Catalog
  const served = { skills: () => skills, catalog: () => catalog }
  const endCursor = compat.alwaysNextCursor ? '' : undefined
  return {
    id: 'io.modelcontextprotocol/skills',
    era: 'modern',
    settings: () => ({ directoryRead: true }),
    usedBy: { resources: ({ uri }) => uris.has(uri) },
    prepare: async (server) => {
      catalog = server.catalog
      if (folders.length === 0) return
      // The module is loaded only if there are skills, because YAML and the table of media types would slow down every start.
      const { readSkills } = await import('./read-skills.js')
      skills = readSkills(folders, server)
      for (const { uri } of skills) uris.add(uri)
    },
    methods: createSkillMethods(served, { pageSize, endCursor }),
  }
}
