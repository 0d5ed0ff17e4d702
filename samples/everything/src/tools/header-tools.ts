import { McpTool, type Static, Type } from 'toolwright'

const Region = Type.Object({
  region: Type.Optional(Type.String({ 'x-mcp-header': 'Region' })),
  level: Type.Optional(Type.Integer()),
})

const HeaderKinds = Type.Object({
  count: Type.Optional(Type.Integer({ 'x-mcp-header': 'Count' })),
  flag: Type.Optional(Type.Boolean({ 'x-mcp-header': 'Flag' })),
  where: Type.Optional(
    Type.Object({
      zone: Type.Optional(Type.String({ 'x-mcp-header': 'Zone' })),
    }),
  ),
})

/**
 * Arguments that clients repeat in `Mcp-Param-*` headers, so that proxies can
 * route by them.
 */
export class HeaderTools {
  @McpTool('test_x_mcp_header', {
    description: 'Repeats a text argument in a header',
    input: Region,
  })
  region({ region = 'none' }: Static<typeof Region>): string {
    return `The region is ${region}.`
  }

  @McpTool('test_x_mcp_header_kinds', {
    description: 'Repeats a number, a flag and a nested argument in headers',
    input: HeaderKinds,
  })
  kinds(given: Static<typeof HeaderKinds>): string {
    return JSON.stringify(given)
  }
}
