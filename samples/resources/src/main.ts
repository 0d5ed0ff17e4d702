import { serve } from 'toolwright'
import { serveLoans } from './loans.js'

await serve({
  name: 'resources',
  version: '1.0.0',
  title: 'Museum',
  instructions:
    'Exhibits and rooms of a museum are resources. Subscribe to a room for updates of its visitors.',
  scan: ['./resources/', './tools/'].map(
    (folder) => new URL(folder, import.meta.url),
  ),
  onReady: ({ catalog }) => serveLoans(catalog),
})
