import type { BuiltInExtension } from '../extension.js'
import { createSkillMethods } from './skill-methods.js'

/** Skills: folders of instructions for agents. Declared once a skill is served. */
export const skills: BuiltInExtension = {
  id: 'io.modelcontextprotocol/skills',
  era: 'modern',
  settings: () => ({ directoryRead: true }),
  use: (catalog) => catalog.skills,
  createMethods: createSkillMethods,
}
