import { serve } from 'toolwright'

await serve({
  name: 'apps',
  version: '1.0.0',
  title: 'Household book',
  instructions:
    'Returns the spending of a month. Clients that support MCP Apps show a chart of it.',
  scan: ['./tools/', './resources/'].map(
    (folder) => new URL(folder, import.meta.url),
  ),
})
