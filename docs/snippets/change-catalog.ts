import { createHost, Type } from 'toolwright'

export async function createShop() {
  // #region add
  const host = await createHost({ name: 'shop', version: '1.0.0', controllers: [] })

  host.mcp.catalog.addTool({
    name: 'shout',
    description: 'Repeats a text, louder',
    input: Type.Object({ text: Type.String() }),
    handler: ({ text }, context) => {
      context.log.info('shouting')
      return text.toUpperCase()
    },
  })
  // #endregion
  return host
}

export function restock(host: Awaited<ReturnType<typeof createShop>>): void {
  // #region updated
  host.mcp.changes.resourceUpdated('shop://stock')
  // #endregion
}

export function stopShouting(host: Awaited<ReturnType<typeof createShop>>) {
  // #region remove
  const wasServed = host.mcp.catalog.removeTool('shout')
  const names = host.mcp.catalog.tools.all.map((tool) => tool.name)
  // #endregion
  return { wasServed, names }
}
