// Runs under tsx, next to a library that tsc compiled.
import { Inject, injectable, McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'

const library = '../../dist/compiled-library.js'
const { Clock, ClockTools, OtherTools } = (await import(library)) as typeof import('../compiled-library.js')

@injectable()
class Ledger {
  constructor(readonly clock: InstanceType<typeof Clock>) {}
}

class OwnTools extends ClockTools {
  constructor(readonly ledger: Ledger) {
    super(new Clock())
  }

  @McpTool({ description: 'Override' })
  override now(_ledger?: Ledger): number {
    return 8
  }
}

class LedgerTools {
  constructor(@Inject(Ledger) readonly ledger: Ledger) {}

  @McpTool({ description: 'One' })
  one(): string {
    return '1'
  }
}

const options = { name: 'library', version: '1.0.0', controllers: [OtherTools, OwnTools, LedgerTools] }
const outcome = await createServer(options).then(
  (server) => String(server.explain()),
  (error: Error) => error.message,
)
process.stdout.write(`${outcome}\n`)
