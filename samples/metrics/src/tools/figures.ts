import { injectable, McpTool, MetricsHook } from 'toolwright'

@injectable()
export class FigureTools {
  constructor(private readonly metrics: MetricsHook) {}

  @McpTool({ description: 'How often and how fast the tools were called', annotations: { readOnlyHint: true } })
  figures(): string {
    return String(this.metrics)
  }
}
