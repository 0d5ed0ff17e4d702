// Declares everything that decorator metadata would provide.
import {
  connectInMemory,
  createServer,
  Inject,
  injectable,
  McpContext,
  McpTool,
  Model,
  type Static,
  Type,
} from '@toolwright/core'

class Clock {
  now(): number {
    return 7
  }
}

@injectable()
class Ledger {
  constructor(@Inject(Clock) readonly clock: Clock) {}
}

const SumInput = Type.Object({ a: Type.Number(), b: Type.Number() })
class SumOutput extends Model(Type.Object({ sum: Type.Number(), at: Type.Number(), method: Type.String() })) {}

class SumTools {
  constructor(@Inject(Ledger) readonly ledger: Ledger) {}

  @McpTool({ description: 'Add', input: SumInput, output: SumOutput })
  add(
    { a, b }: Static<typeof SumInput>,
    @Inject(Clock) clock: Clock,
    @Inject(McpContext) context: McpContext,
  ): SumOutput {
    return { sum: a + b, at: clock.now() + this.ledger.clock.now(), method: context.method }
  }
}

const server = await createServer({ name: 'explicit', version: '1.0.0', controllers: [SumTools] })
const client = connectInMemory(server, { onMessage: (message) => process.stdout.write(`${JSON.stringify(message)}\n`) })
client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } })
