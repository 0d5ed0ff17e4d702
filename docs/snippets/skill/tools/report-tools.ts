import { Authorize, McpContext, McpTool, type Static, Type } from 'toolwright'

const ReportInput = Type.Object({
  year: Type.Integer({ minimum: 2000, maximum: 2100 }),
})

@Authorize({ roles: ['Manager'] })
export class ReportTools {
  @McpTool({
    description: 'Writes the report of a year',
    input: ReportInput,
    task: 'optional',
    timeoutMs: 10 * 60_000,
  })
  async writeReport(
    { year }: Static<typeof ReportInput>,
    context: McpContext,
  ): Promise<string> {
    for (let month = 1; month <= 12; month++) {
      context.signal.throwIfAborted()
      context.progress(month, 12, `month ${month} of ${year}`)
    }
    return `The report of ${year} is written.`
  }
}
