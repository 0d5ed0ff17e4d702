import { injectable, McpTool, type Static, ToolError, Type } from 'toolwright'
import { glyphIcons } from '../icons.js'
import { Ledger } from '../ledger.js'

const AddInput = Type.Object({
  a: Type.Number({ description: 'First number' }),
  b: Type.Number({ description: 'Second number' }),
})
const AddOutput = Type.Object({ sum: Type.Number() })

const MultiplyInput = Type.Object({
  a: Type.Number({ description: 'First factor' }),
  b: Type.Number({ description: 'Second factor' }),
})
const MultiplyOutput = Type.Object({ product: Type.Number() })

const DivideInput = Type.Object({
  dividend: Type.Number({ description: 'Number to divide' }),
  divisor: Type.Number({ description: 'Number to divide by; not 0' }),
})
const DivideOutput = Type.Object({ quotient: Type.Number() })

/**
 * Annotations for clients: the results of these tools depend only on their
 * arguments.
 */
const pure = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }

@injectable()
export class ArithmeticTools {
  constructor(private readonly ledger: Ledger) {}

  @McpTool('add_numbers', {
    title: 'Add Numbers',
    description: 'Adds two numbers and returns the sum',
    icons: glyphIcons('+'),
    annotations: pure,
    input: AddInput,
    output: AddOutput,
  })
  add({ a, b }: Static<typeof AddInput>): Static<typeof AddOutput> {
    return { sum: this.note(`${a} + ${b}`, a + b) }
  }

  @McpTool('multiply_numbers', {
    title: 'Multiply Numbers',
    description: 'Multiplies two numbers and returns the product',
    icons: glyphIcons('×'),
    annotations: pure,
    input: MultiplyInput,
    output: MultiplyOutput,
  })
  multiply({
    a,
    b,
  }: Static<typeof MultiplyInput>): Static<typeof MultiplyOutput> {
    return { product: this.note(`${a} × ${b}`, a * b) }
  }

  @McpTool({
    title: 'Divide',
    description: 'Divides one number by another and returns the quotient',
    icons: glyphIcons('÷'),
    annotations: pure,
    input: DivideInput,
    output: DivideOutput,
  })
  divide({
    dividend,
    divisor,
  }: Static<typeof DivideInput>): Static<typeof DivideOutput> {
    if (divisor === 0)
      throw new ToolError('Cannot divide by 0. Give another divisor.')
    return {
      quotient: this.note(`${dividend} ÷ ${divisor}`, dividend / divisor),
    }
  }

  private note(calculation: string, result: number): number {
    // JSON has no Infinity.
    if (!Number.isFinite(result))
      throw new ToolError(
        `${calculation} is too large to calculate. Use smaller numbers.`,
      )
    this.ledger.note(calculation, result)
    return result
  }
}
