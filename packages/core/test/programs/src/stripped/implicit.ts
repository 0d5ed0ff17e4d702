// Relies on decorator metadata throughout, which tsx does not emit.
import { injectable, McpContext, McpTool, Model, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'

class Clock {
  now(): number {
    return 0
  }
}

@injectable()
class Ledger {
  constructor(readonly clock: Clock) {}
}

class SumInput extends Model(Type.Object({ a: Type.Number(), b: Type.Number() })) {}

@injectable()
class SumTools {
  constructor(readonly ledger: Ledger) {}

  @McpTool({ description: 'Add' })
  add({ a, b }: SumInput, context: McpContext): string {
    return `${a + b} ${context.method}`
  }

  @McpTool({ description: 'Zero' })
  zero(): string {
    return '0'
  }
}

const options = { name: 'implicit', version: '1.0.0', controllers: [SumTools] }
const outcome = await createServer(options).then(
  (server) => String(server.explain()),
  (error: Error) => error.message,
)
process.stdout.write(`${outcome}\n`)
