// #region tool
import { McpContext, McpTool, type Static, Type } from 'toolwright'

interface Row {
  readonly id: number
}

declare function importRow(row: Row, signal: AbortSignal): Promise<void>
declare function readRows(file: string): Promise<readonly Row[]>

const ImportInput = Type.Object({ file: Type.String() })

export class ImportTools {
  @McpTool({
    description: 'Imports a file',
    input: ImportInput,
    task: 'optional',
    timeoutMs: 30 * 60_000,
  })
  async importFile(
    { file }: Static<typeof ImportInput>,
    context: McpContext,
  ): Promise<string> {
    const rows = await readRows(file)
    for (const [index, row] of rows.entries()) {
      await importRow(row, context.signal)
      context.progress(index + 1, rows.length)
    }
    return `Imported ${rows.length} rows.`
  }
}
// #endregion

const Consent = Type.Object({
  overwrite: Type.Boolean({ title: 'Overwrite existing rows' }),
})

export class AskingTools {
  // #region ask
  @McpTool({
    description: 'Replaces the rows of an imported file',
    input: ImportInput,
    task: 'required',
  })
  async replaceFile(
    { file }: Static<typeof ImportInput>,
    context: McpContext,
  ): Promise<string> {
    const rows = await readRows(file)
    const { content } = await context.elicit({
      message: `Replace ${rows.length} rows?`,
      schema: Consent,
    })
    if (content?.overwrite !== true) return 'Nothing was replaced.'
    for (const row of rows) await importRow(row, context.signal)
    return `Replaced ${rows.length} rows.`
  }
  // #endregion

  // #region start
  @McpTool({
    description: 'Asks, then imports',
    input: ImportInput,
    task: 'optional',
    taskStart: 'by-handler',
  })
  async askAndImport(
    { file }: Static<typeof ImportInput>,
    context: McpContext,
  ): Promise<string> {
    const { content } = await context.elicit({
      message: `Import ${file}?`,
      schema: Consent,
    })
    if (content === undefined) return 'Nothing was imported.'
    await context.startTask()
    for (const row of await readRows(file)) await importRow(row, context.signal)
    return 'Imported.'
  }
  // #endregion
}
