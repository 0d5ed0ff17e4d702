import { serve } from 'toolwright'

await serve({
  name: 'words',
  version: '1.0.0',
  scan: new URL('./tools/', import.meta.url),
})
