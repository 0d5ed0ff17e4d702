import { serve } from 'toolwright'

await serve({
  name: 'tasks',
  version: '1.0.0',
  title: 'Film laboratory',
  instructions:
    'Renders films, which takes a while. Clients that support tasks poll for the result.',
  scan: new URL('./tools/', import.meta.url),
  limits: { maxTasks: 100, taskTtlMs: 10 * 60_000 },
})
