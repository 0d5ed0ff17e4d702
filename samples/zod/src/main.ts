import { serve } from 'toolwright'

await serve({
  name: 'zod',
  version: '1.0.0',
  title: 'Meeting rooms',
  instructions: 'Books meeting rooms. A room is booked for a whole day.',
  scan: new URL('./tools/', import.meta.url),
})
