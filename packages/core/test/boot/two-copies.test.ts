import { join } from 'node:path'
import { McpTool, Type } from '@toolwright/core'
import { findMistakes } from './find-problems.js'

it('boot reports a class that another copy of the package decorated, without consequential errors', async () => {
  const other = await anotherCopy()

  class Tools {
    @other.McpTool({ input: Type.Object({ name: Type.String() }) })
    greet({ name }: { name: string }): string {
      return name
    }
  }
  class MoreTools extends Tools {}

  const diagnostic =
    'was decorated by another copy of @toolwright/core than the one that serves it. Both are in ' +
    `${join(__dirname, '..', '..', 'src', 'copies', 'copies.ts')}. Install one version: \`npm ls @toolwright/core\` shows ` +
    'which packages depend on it. A bundle contains a separate copy: put all classes into the bundle, or leave ' +
    '@toolwright/core out of it.'
  expect(await findMistakes(Tools, MoreTools)).toEqual([
    `two-copies: controllers: the class Tools ${diagnostic}`,
    `two-copies: controllers: the class MoreTools ${diagnostic}`,
  ])
})

it('boot serves a class that copied the metadata of another class, as class decorators of other libraries do', async () => {
  class Tools {
    @McpTool()
    greet(): string {
      return 'hello'
    }
  }
  class Wrapped {
    greet(): string {
      return 'hello'
    }
  }
  copyMetadata(Tools.prototype, Wrapped.prototype)

  expect(await findMistakes(Wrapped)).toEqual([])
})

it('boot reports a class that both copies decorated', async () => {
  const other = await anotherCopy()

  class Tools {
    @other.McpTool()
    first(): string {
      return ''
    }

    @McpTool()
    second(): string {
      return ''
    }
  }

  expect(await findMistakes(Tools)).toEqual([expect.stringContaining('two-copies: controllers: the class Tools')])
})

function copyMetadata(from: object, to: object): void {
  for (const key of Reflect.getOwnMetadataKeys(from)) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, from), to)
  }
}

async function anotherCopy(): Promise<typeof import('@toolwright/core')> {
  let copy: typeof import('@toolwright/core') | undefined
  await jest.isolateModulesAsync(async () => {
    copy = await import('@toolwright/core')
  })
  if (copy === undefined) throw new Error('no other copy was loaded')
  return copy
}
