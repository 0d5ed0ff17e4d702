// A separate server, over stdio.
import {
  createServer,
  McpContext,
  McpResource,
  McpTool,
  serveStdio,
  Type,
} from 'toolwright'

class Notes {
  @McpTool({ description: 'Asks the user for a note, and counts its words' })
  async takeNote(context: McpContext): Promise<string> {
    const note = await context.elicit({
      message: 'Your note?',
      schema: Type.Object({ text: Type.String() }),
    })
    return note.action === 'accept'
      ? `${note.content.text.split(' ').length} words`
      : 'no note'
  }

  @McpResource('notes:today')
  today(): string {
    return 'Bring an umbrella'
  }
}

await serveStdio(
  await createServer({ name: 'notes', version: '1.0.0', controllers: [Notes] }),
)
