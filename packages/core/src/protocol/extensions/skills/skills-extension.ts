import { FeatureRegistry, followEnabled } from '../../../catalog/feature-registry.js'
import type { BuiltInExtension } from '../extension.js'
import type { SkillDefinition } from './skill-definition.js'
import { createSkillMethods } from './skill-methods.js'

export const skillsId = 'io.modelcontextprotocol/skills'

/** Serves skills: folders of instructions for agents. The files of skills are served as resources. */
export function createSkillsExtension(folders: readonly (URL | string)[]): BuiltInExtension {
  const skills = new FeatureRegistry<SkillDefinition>(({ uri }) => uri)
  return {
    id: skillsId,
    era: 'modern',
    settings: () => ({ directoryRead: true }),
    use: () => skills,
    prepare: async (server) => {
      if (folders.length === 0) return
      // The module is loaded only if there are skills, because YAML and the table of media types would slow down every start.
      const { readSkills } = await import('./read-skills.js')
      // A skill is shown as long as its file `SKILL.md` is.
      followEnabled(skills, server.catalog.resources)
      readSkills(folders, skills, server)
    },
    createMethods: (writer) => createSkillMethods(writer, skills),
  }
}
