import { serve } from 'toolwright'

await serve({
  name: 'interactive',
  version: '1.0.0',
  title: 'Hotel',
  instructions: 'Books hotel rooms. The user is asked before anything is paid.',
  scan: new URL('./tools/', import.meta.url),
})
