import { defineCommand } from 'citty'

export const inspect = defineCommand({
  meta: { name: 'inspect', description: 'Open the inspector for a server' },
})
