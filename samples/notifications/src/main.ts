import { serve } from 'toolwright'

await serve({
  name: 'notifications',
  version: '1.0.0',
  title: 'Bakery',
  instructions:
    'Bakes bread. Subscribe to the oven for updates of its temperature.',
  scan: ['./resources/', './tools/'].map(
    (folder) => new URL(folder, import.meta.url),
  ),
})
