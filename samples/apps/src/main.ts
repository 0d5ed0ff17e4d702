import { serve } from 'toolwright'

await serve({
  name: 'apps',
  version: '1.0.0',
  title: 'Household book',
  instructions: 'Tells what was spent in a month. Clients that show MCP Apps draw a chart of it.',
  scan: ['./tools/', './resources/'].map((folder) => new URL(folder, import.meta.url)),
})
