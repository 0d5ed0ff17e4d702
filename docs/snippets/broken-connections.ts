// #region close
import { setTimeout as sleep } from 'node:timers/promises'
import { createHost, McpContext, McpTool, type Static, Type } from 'toolwright'

const ReportInput = Type.Object({ pages: Type.Integer({ minimum: 1, maximum: 100 }) })

async function writePage(_page: number): Promise<void> {
  await sleep(10)
}

export class ReportTools {
  @McpTool({ description: 'Writes a long report', input: ReportInput, timeoutMs: 600_000 })
  async writeReport({ pages }: Static<typeof ReportInput>, context: McpContext): Promise<string> {
    context.closeStream()
    for (let page = 1; page <= pages; page++) {
      await writePage(page)
      context.progress(page, pages)
    }
    return `Wrote ${pages} pages.`
  }
}
// #endregion

// #region limits
export const createReportHost = () =>
  createHost({
    name: 'reports',
    version: '1.0.0',
    controllers: [ReportTools],
    retryMs: 5_000,
    keepAliveMs: 10_000,
    limits: { storedEventMs: 30 * 60_000, maxStoredBytes: 4 * 1024 * 1024 },
  })
// #endregion
