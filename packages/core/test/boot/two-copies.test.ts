import { Type } from '@toolwright/core'
import { findMistakes } from './find-problems.js'

it('reports a class that another copy of the package decorated, and nothing that follows from it', async () => {
  const { McpTool } = await anotherCopy()

  class Tools {
    @McpTool({ input: Type.Object({ name: Type.String() }) })
    greet({ name }: { name: string }): string {
      return name
    }
  }
  class MoreTools extends Tools {}

  const problem =
    'was decorated by another copy of @toolwright/core than the one that serves it, which knows none of its errors and no ' +
    'McpContext. `npm ls @toolwright/core` shows who brings them: install one version of all packages.'
  expect(await findMistakes(Tools, MoreTools)).toEqual([
    `two-copies: controllers: the class Tools ${problem}`,
    `two-copies: controllers: the class MoreTools ${problem}`,
  ])
})

async function anotherCopy(): Promise<typeof import('@toolwright/core')> {
  let copy: typeof import('@toolwright/core') | undefined
  await jest.isolateModulesAsync(async () => {
    copy = await import('@toolwright/core')
  })
  if (copy === undefined) throw new Error('no other copy was loaded')
  return copy
}
