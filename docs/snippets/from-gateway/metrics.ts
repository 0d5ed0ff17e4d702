import { setTimeout as sleep } from 'node:timers/promises'
import { gateway } from '@toolwright/gateway'
// #region metrics
import {
  createHost,
  loggingHook,
  McpTool,
  type Static,
  ToolError,
  Type,
} from 'toolwright'

const OperandsInput = Type.Object({ a: Type.Number(), b: Type.Number() })
const DelayInput = Type.Object({
  delayMs: Type.Integer({ default: 100, maximum: 10_000 }),
})

export class MeasuredTools {
  @McpTool({ description: 'Adds two numbers', input: OperandsInput })
  add({ a, b }: Static<typeof OperandsInput>): object {
    return { result: a + b }
  }

  @McpTool({ description: 'Divides two numbers', input: OperandsInput })
  divide({ a, b }: Static<typeof OperandsInput>): object {
    if (b === 0)
      throw new ToolError('The divisor is zero. Give another number.')
    return { result: a / b }
  }

  @McpTool({ description: 'Takes a while', input: DelayInput })
  async slowOperation({ delayMs }: Static<typeof DelayInput>): Promise<object> {
    await sleep(delayMs)
    return { message: `Took ${delayMs} ms` }
  }
}

export const createMetrics = async () =>
  createHost(
    await gateway(
      { controllers: [MeasuredTools], hooks: [loggingHook()] },
      { metrics: true },
    ),
  )
// #endregion
