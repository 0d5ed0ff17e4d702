import { setTimeout as sleep } from 'node:timers/promises'
import { trace } from '@opentelemetry/api'
import { McpContext, McpTool, type Static, ToolError, Type } from 'toolwright'

const TwoNumbers = Type.Object({
  a: Type.Number({ description: 'First number' }),
  b: Type.Number({ description: 'Second number' }),
})
const SlowInput = Type.Object({
  milliseconds: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    default: 200,
    description: 'Time to wait',
  }),
})

const tracer = trace.getTracer('calculator')

export class CalculatorTools {
  @McpTool({
    description: 'Adds two numbers',
    annotations: { readOnlyHint: true },
    input: TwoNumbers,
  })
  add({ a, b }: Static<typeof TwoNumbers>): number {
    return a + b
  }

  @McpTool({
    description: 'Divides one number by another',
    annotations: { readOnlyHint: true },
    input: TwoNumbers,
  })
  divide({ a, b }: Static<typeof TwoNumbers>): number {
    if (b === 0)
      throw new ToolError('Cannot divide by 0. Give another divisor.')
    return a / b
  }

  @McpTool({
    description: 'Waits for the given time',
    annotations: { readOnlyHint: true },
    input: SlowInput,
  })
  slowOperation(
    { milliseconds }: Static<typeof SlowInput>,
    context: McpContext,
  ): Promise<string> {
    // A child of the span of the call.
    return tracer.startActiveSpan('wait', async (span) => {
      try {
        await sleep(milliseconds, undefined, { signal: context.signal })
        return `Took ${milliseconds} ms.`
      } finally {
        span.end()
      }
    })
  }
}
