import { type Catalog, type Static, ToolError, Type } from 'toolwright'

const Picture = Type.Object({ name: Type.String({ pattern: '^[a-z]{1,40}$' }) })

/**
 * Maximum number of pictures: clients must not be able to add resources without
 * limit.
 */
const maxPictures = 20

/**
 * Adds and removes pictures while the server runs. Each picture is a separate
 * resource.
 */
export function serveLoans(catalog: Catalog): void {
  const hanging = new Set<string>()
  const uriOf = (name: string): string => `museum://pictures/${name}`

  catalog.addTool({
    name: 'hang',
    description: 'Hangs a picture that is on loan',
    input: Picture,
    handler: ({ name }: Static<typeof Picture>) => {
      if (hanging.has(name)) throw new ToolError(`'${name}' hangs already.`)
      if (hanging.size === maxPictures)
        throw new ToolError(
          'There is no room on the wall. Take a picture down first.',
        )
      hanging.add(name)
      catalog.addResource({
        uri: uriOf(name),
        name,
        handler: () => `A picture called ${name}`,
      })
      return `${name} hangs.`
    },
  })

  catalog.addTool({
    name: 'take_down',
    description: 'Takes a picture down',
    input: Picture,
    handler: ({ name }: Static<typeof Picture>) => {
      if (!hanging.delete(name)) throw new ToolError(`'${name}' does not hang.`)
      catalog.removeResource(uriOf(name))
      return `${name} is gone.`
    },
  })
}
