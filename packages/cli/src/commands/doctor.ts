import { defineCommand } from 'citty'

export const doctor = defineCommand({
  meta: { name: 'doctor', description: 'Find mistakes in a project or a running server' },
})
