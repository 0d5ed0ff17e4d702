import { defineCommand } from 'citty'

export const call = defineCommand({
  meta: { name: 'call', description: 'Call a tool of a server' },
})
