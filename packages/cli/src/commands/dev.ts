import { defineCommand } from 'citty'

export const dev = defineCommand({
  meta: { name: 'dev', description: 'Run a server, and reload it when a file is saved' },
})
