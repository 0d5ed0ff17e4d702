import type { Catalog } from 'toolwright'

/** In December there is one tool more. The catalog tells clients of its own changes. */
export function serveSeason(catalog: Catalog): void {
  catalog.addTool({
    name: 'begin_december',
    description: 'Begins December, in which stollen is baked',
    handler: () => {
      const isNew = catalog.tools.get('bake_stollen') === undefined
      if (isNew) catalog.addTool({ name: 'bake_stollen', description: 'Bakes stollen', handler: () => 'A stollen' })
      return isNew ? 'It is December.' : 'It was December already.'
    },
  })
  catalog.addTool({
    name: 'end_december',
    description: 'Ends December',
    handler: () => (catalog.removeTool('bake_stollen') ? 'It was December.' : 'It was not December.'),
  })
}
