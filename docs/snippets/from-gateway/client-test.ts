import { gateway } from '@toolwright/gateway'
// #region client-test
import {
  Catalog,
  createHost,
  McpContext,
  McpResource,
  McpTool,
  Model,
  type ReadResourceResult,
  type Static,
  Type,
} from 'toolwright'
import { CalculatorTools } from './calculator.js'
import { SantaPrompts } from './prompts.js'

const NumbersInput = Type.Object({
  number1: Type.Number(),
  number2: Type.Number(),
})
class Done extends Model(Type.Object({ message: Type.String() })) {}

export class ProgressTools {
  @McpTool({
    description: 'Adds two numbers, and reports its progress',
    input: NumbersInput,
  })
  addNumbersNotification(
    { number1, number2 }: Static<typeof NumbersInput>,
    context: McpContext,
  ): object {
    context.progress(1, 2, 'Adding')
    context.progress(2, 2, 'Added')
    return { result: number1 + number2 }
  }

  @McpTool('count_to_10', { description: 'Counts, and reports each number' })
  *countTo10(): Generator<
    { progress: number; total: number },
    { result: number }
  > {
    for (let progress = 1; progress < 10; progress++)
      yield { progress, total: 10 }
    return { result: 10 }
  }
}

export class DynamicResources {
  @McpTool('add-test-resource', { description: 'Adds a resource' })
  add(catalog: Catalog): Done {
    const uri = 'dynamic://test/resource1'
    catalog.addResource({
      uri,
      name: 'Test Resource 1',
      mimeType: 'text/plain',
      handler: () => 'Added at run time',
    })
    return { message: 'All resources added.' }
  }

  @McpTool('remove-test-resource', { description: 'Removes the resource' })
  remove(catalog: Catalog): Done {
    catalog.removeResource('dynamic://test/resource1')
    return { message: 'Resource removed.' }
  }

  @McpResource('system://status', {
    description: 'The uptime',
    mimeType: 'application/json',
  })
  status(): ReadResourceResult {
    const text = JSON.stringify({ uptime: process.uptime() })
    const contents = [
      { uri: 'system://status', mimeType: 'application/json', text },
    ]
    return { contents, _meta: { 'tools.gateway.mcp/status': 'Hello World' } }
  }
}

export const clientTestControllers = [
  CalculatorTools,
  SantaPrompts,
  ProgressTools,
  DynamicResources,
]

export const createClientTest = async () =>
  createHost(await gateway({ controllers: clientTestControllers }))
// #endregion
