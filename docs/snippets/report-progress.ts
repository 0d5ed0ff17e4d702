// #region generator
import { setTimeout as sleep } from 'node:timers/promises'
import {
  McpContext,
  McpTool,
  type ProgressUpdate,
  type Static,
  Type,
} from 'toolwright'

const ImportInput = Type.Object({ rows: Type.Integer({ minimum: 1 }) })

async function importRow(_row: number): Promise<void> {
  await sleep(1)
}

export class ImportTools {
  @McpTool({ description: 'Imports rows', input: ImportInput })
  async *importRows({
    rows,
  }: Static<typeof ImportInput>): AsyncGenerator<ProgressUpdate, string> {
    for (let row = 1; row <= rows; row++) {
      await importRow(row)
      yield { progress: row, total: rows, message: `row ${row}` }
    }
    return `Imported ${rows} rows.`
  }
}
// #endregion

const DownloadInput = Type.Object({ url: Type.String({ format: 'uri' }) })

export class DownloadTools {
  // #region context
  @McpTool({
    description: 'Downloads a page',
    input: DownloadInput,
    timeoutMs: 10_000,
  })
  async download(
    { url }: Static<typeof DownloadInput>,
    context: McpContext,
  ): Promise<string> {
    context.progress(0, 2, 'connecting')
    const response = await fetch(url, { signal: context.signal })
    context.progress(1, 2, 'reading')
    return await response.text()
  }
  // #endregion
}
