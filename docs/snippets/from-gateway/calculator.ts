import { randomBytes, randomUUID } from 'node:crypto'
import { gateway } from '@toolwright/gateway'
// #region calculator
import { createHost, McpTool, Model, type Static, Type } from 'toolwright'

class Numbers extends Model(
  Type.Object({
    number1: Type.Number({ description: 'The first operand' }),
    number2: Type.Number({ description: 'The second operand' }),
  }),
) {}
class Sum extends Model(Type.Object({ result: Type.Number() })) {}

export class CalculatorTools {
  @McpTool({
    description: 'Adds two numbers',
    icons: [{ src: 'https://example.com/icons/calculator.png' }],
  })
  addNumbers({ number1, number2 }: Numbers): Sum {
    return { result: number1 + number2 }
  }

  @McpTool({ description: 'Multiplies two numbers' })
  multiplyNumbers({ number1, number2 }: Numbers): object {
    return { result: number1 * number2 }
  }
}
// #endregion

// #region secrets
const SecretInput = Type.Object({
  format: Type.Enum(['Guid', 'Hex', 'Base64'], {
    description: 'Format of the secret.',
  }),
})
class Secret extends Model(
  Type.Object({
    secret: Type.String(),
    timestamp: Type.String(),
    type: Type.String(),
  }),
) {}

export class SecretTools {
  @McpTool({ description: 'Creates a random secret', input: SecretInput })
  generateSecret({ format }: Static<typeof SecretInput>): object {
    return createSecret(format)
  }

  @McpTool({
    description: 'Creates a random secret, with an output schema',
    input: SecretInput,
  })
  generateSuperSecret({ format }: Static<typeof SecretInput>): Secret {
    return createSecret(format)
  }
}
// #endregion

function createSecret(type: string): Secret {
  const secrets: Readonly<Record<string, () => string>> = {
    Hex: () => randomBytes(16).toString('hex'),
    Base64: () => randomBytes(16).toString('base64'),
  }
  return {
    secret: (secrets[type] ?? randomUUID)(),
    timestamp: new Date().toISOString(),
    type,
  }
}

export async function createCalculator() {
  // #region host
  const host = await createHost(
    await gateway({ controllers: [CalculatorTools, SecretTools] }),
  )
  // #endregion
  return host
}
