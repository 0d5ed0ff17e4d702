import { Catalog, injectable, McpTool } from 'toolwright'

/** Adds a tool in December. The catalog notifies clients of its changes. */
@injectable()
export class SeasonTools {
  constructor(private readonly catalog: Catalog) {}

  @McpTool({ description: 'Begins December, and adds the tool bake_stollen' })
  beginDecember(): string {
    if (this.catalog.tools.get('bake_stollen') !== undefined)
      return 'It was December already.'
    this.catalog.addTool({
      name: 'bake_stollen',
      description: 'Bakes stollen',
      handler: () => 'A stollen',
    })
    return 'It is December.'
  }

  @McpTool({ description: 'Ends December, and removes the tool bake_stollen' })
  endDecember(): string {
    return this.catalog.removeTool('bake_stollen')
      ? 'It was December.'
      : 'It was not December.'
  }
}
