import { createServer } from 'toolwright'
import { ArchiveTools, NoteTools } from './tools.js'

await createServer({
  name: 'notes',
  version: '1.0.0',
  controllers: [NoteTools, ArchiveTools],
})
