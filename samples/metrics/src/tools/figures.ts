import { injectable, McpTool, MetricsHook } from 'toolwright'

@injectable()
export class FigureTools {
  constructor(private readonly metrics: MetricsHook) {}

  @McpTool({
    description: 'Returns the numbers and durations of calls',
    annotations: { readOnlyHint: true },
  })
  figures(): string {
    return String(this.metrics)
  }
}
