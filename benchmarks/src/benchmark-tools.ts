import { Authorize, McpTool, type Static, Type } from 'toolwright'
import { neededScope } from './access.js'

export const AddInput = Type.Object({
  a: Type.Number({ description: 'First number' }),
  b: Type.Number({ description: 'Second number' }),
})
export const AddOutput = Type.Object({ sum: Type.Number({ description: 'The sum' }) })

/** The tool that is called. */
export class AddTools {
  @McpTool('add_numbers', { description: 'Adds two numbers', input: AddInput, output: AddOutput })
  add({ a, b }: Static<typeof AddInput>): Static<typeof AddOutput> {
    return { sum: a + b }
  }
}

/** The same tool with a promise, as most tools have. */
export class AsyncAddTools {
  @McpTool('add_numbers', { description: 'Adds two numbers', input: AddInput, output: AddOutput })
  async add({ a, b }: Static<typeof AddInput>): Promise<Static<typeof AddOutput>> {
    return { sum: a + b }
  }
}

/** The same tool for callers with a scope. */
@Authorize({ scopes: [neededScope] })
export class ScopedAddTools {
  @McpTool('add_numbers', { description: 'Adds two numbers', input: AddInput, output: AddOutput })
  add({ a, b }: Static<typeof AddInput>): Static<typeof AddOutput> {
    return { sum: a + b }
  }
}

type Controller = new () => object

/** Returns the controllers of a benchmark server: `add_numbers`, and more tools. */
export function benchmarkControllers(moreTools: number, add: Controller = AddTools): readonly Controller[] {
  return moreTools === 0 ? [add] : [add, createMoreTools(moreTools)]
}

/** Creates a controller with more tools, each with separate schemas. They are listed, but never called. */
export function createMoreTools(count: number): new () => object {
  class MoreTools {}
  for (let index = 1; index <= count; index++) addTool(MoreTools.prototype, index)
  return MoreTools
}

function addTool(prototype: object, index: number): void {
  const method = `convert${index}`
  const input = Type.Object({
    amount: Type.Number({ description: 'How much' }),
    unit: Type.Optional(Type.String({ description: 'Unit of the amount' })),
  })
  const output = Type.Object({ amount: Type.Number(), unit: Type.String() })
  const descriptor = {
    value: ({ amount, unit = 'm' }: Static<typeof input>) => ({ amount: amount * index, unit }),
    configurable: true,
    writable: true,
  }
  Object.defineProperty(prototype, method, descriptor)
  McpTool(toolName(index), { description: `Converts to unit ${index}`, input, output })(prototype, method, descriptor)
}

export function toolName(index: number): string {
  return `convert_${index}`
}
