import { serve } from 'toolwright'

await serve({
  name: 'skills',
  version: '1.0.0',
  title: 'Release desk',
  instructions: 'Knows what changed in a project, and how its releases are numbered and announced: see its skills.',
  scan: new URL('./tools/', import.meta.url),
  skills: new URL('../skills/', import.meta.url),
})
