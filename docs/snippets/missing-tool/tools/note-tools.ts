import { McpTool, Type } from 'toolwright'

class Pencil {}

export class NoteTools {
  @McpTool({
    description: 'Writes a note',
    input: Type.Object({ text: Type.String() }),
  })
  writeNote({ text }: { text: string }, _pencil: Pencil): string {
    return text
  }
}

/** Not exported, so a scan cannot find it. */
class DraftTools {
  @McpTool({ description: 'Writes a draft' })
  writeDraft(): string {
    return ''
  }
}
void DraftTools
