import type { ServerOptions } from 'toolwright'

// #region folders
export const options: ServerOptions = {
  name: 'releases',
  version: '1.0.0',
  skills: [new URL('./skills/', import.meta.url), '/srv/shared-skills'],
  limits: { maxSkills: 100, maxSkillBytes: 16 * 1024 * 1024 },
}
// #endregion
