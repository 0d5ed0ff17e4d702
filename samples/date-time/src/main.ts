import { serve } from 'toolwright'

await serve({
  name: 'date-time',
  version: '1.0.0',
  title: 'Dates and times',
  instructions:
    'Use these tools instead of calculating dates in your head. Time zones are IANA names, or UTC.',
  scan: ['./tools/', './prompts/'].map(
    (folder) => new URL(folder, import.meta.url),
  ),
})
