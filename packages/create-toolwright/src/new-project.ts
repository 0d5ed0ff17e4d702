import { defineCommand } from 'citty'

export const newProject = defineCommand({
  meta: { name: 'new', description: 'Create a project' },
})
