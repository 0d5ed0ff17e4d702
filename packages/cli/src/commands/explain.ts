import { defineCommand } from 'citty'

export const explain = defineCommand({
  meta: { name: 'explain', description: 'Show which features are served, to whom, and why others are not' },
})
