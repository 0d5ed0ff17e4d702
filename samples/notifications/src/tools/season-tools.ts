import { Catalog, injectable, McpTool } from 'toolwright'

/** In December there is one tool more. The catalog tells clients of its own changes. */
@injectable()
export class SeasonTools {
  constructor(private readonly catalog: Catalog) {}

  @McpTool({ description: 'Begins December, in which stollen is baked' })
  beginDecember(): string {
    if (this.catalog.tools.get('bake_stollen') !== undefined) return 'It was December already.'
    this.catalog.addTool({ name: 'bake_stollen', description: 'Bakes stollen', handler: () => 'A stollen' })
    return 'It is December.'
  }

  @McpTool({ description: 'Ends December' })
  endDecember(): string {
    return this.catalog.removeTool('bake_stollen') ? 'It was December.' : 'It was not December.'
  }
}
