import { defineCommand } from 'citty'

export const install = defineCommand({
  meta: { name: 'install', description: 'Add a server to the configuration of a client' },
})
