import { serve } from 'toolwright'

await serve({
  name: 'prompts',
  version: '1.0.0',
  title: 'Cookbook',
  scan: ['./prompts/', './tools/'].map(
    (folder) => new URL(folder, import.meta.url),
  ),
})
