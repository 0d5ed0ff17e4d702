import { defineCommand } from 'citty'

export const list = defineCommand({
  meta: { name: 'list', description: 'List the features of a server' },
})
