import { serve } from 'toolwright'

await serve({
  name: 'calculator',
  version: '1.0.0',
  title: 'Calculator',
  instructions:
    'Use these tools for arithmetic instead of calculating in your head.',
  scan: new URL('./tools/', import.meta.url),
})
