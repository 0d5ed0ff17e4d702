import { serve } from 'toolwright'

await serve({
  name: 'skills',
  version: '1.0.0',
  title: 'Release desk',
  instructions:
    'Lists the changes of a project. Its skills describe how to release it.',
  scan: new URL('./tools/', import.meta.url),
  skills: new URL('../skills/', import.meta.url),
})
