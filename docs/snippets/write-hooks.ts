// #region audit
import {
  type CallHook,
  type FeatureCall,
  injectable,
  McpTool,
  principalKey,
  type ServerOptions,
  type Static,
  singleton,
  ToolError,
  Type,
  UseHooks,
} from 'toolwright'

/** Placeholder for a log in a database. */
@singleton()
export class AuditLog {
  readonly lines: string[] = []

  write(line: string): void {
    this.lines.push(line)
  }
}

@injectable()
export class AuditHook implements CallHook {
  constructor(private readonly log: AuditLog) {}

  onCompleted({ name, context }: FeatureCall): void {
    this.log.write(`${context.principal?.subject ?? 'somebody'} used ${name}`)
  }
}
// #endregion

// #region veto
export class OfficeHours implements CallHook {
  onInvoking({ context }: FeatureCall): void {
    const hour = new Date().getHours()
    if (hour >= 8 && hour < 18) return
    context.log.warn('rejected outside of office hours')
    throw new ToolError(
      'The office is closed. Try again between 8 and 18 o’clock.',
    )
  }
}
// #endregion

// #region around
const kept = new Map<string, unknown>()

export const cache: CallHook & { name: string } = {
  name: 'cache',
  async around(call, next) {
    // A caller must not get the result of another caller.
    const key = JSON.stringify([
      call.name,
      principalKey(call.context.principal),
      call.arguments,
    ])
    if (kept.has(key)) return kept.get(key)
    const result = await next()
    if (kept.size < 1000) kept.set(key, result)
    return result
  },
}
// #endregion

// #region arguments
export const upperCase: CallHook & { name: string } = {
  name: 'upperCase',
  around(call, next) {
    const args = call.arguments as Static<typeof RateInput>
    return next({ ...args, currency: args.currency.toUpperCase() })
  },
}
// #endregion

// #region use
const RateInput = Type.Object({
  currency: Type.String({ minLength: 3, maxLength: 3 }),
})
const OrderInput = Type.Object({ article: Type.String() })

@UseHooks(AuditHook)
export class BankTools {
  lookedUp = 0

  @UseHooks(upperCase, cache)
  @McpTool({
    description: 'Returns the exchange rate of a currency',
    input: RateInput,
  })
  exchangeRate({ currency }: Static<typeof RateInput>): string {
    this.lookedUp++
    return `1 EUR is ${currency.length} ${currency}`
  }

  @UseHooks(OfficeHours)
  @McpTool({ description: 'Orders something', input: OrderInput })
  order({ article }: Static<typeof OrderInput>): string {
    return `Ordered ${article}.`
  }
}
// #endregion

// #region host
const slowCalls: CallHook = {
  onCompleted({ name, context }, _result, durationMs) {
    if (durationMs > 1000)
      context.log.warn({ feature: name, durationMs }, 'a slow call')
  },
}

export const options: ServerOptions = {
  name: 'bank',
  version: '1.0.0',
  controllers: [BankTools],
  hooks: [slowCalls],
}
// #endregion

// #region notes
export const patience: CallHook = {
  onInvoking({ round, notes, context }) {
    if (round === 1) notes.set('since', String(Date.now()))
    else
      context.log.info(
        { round, waitedMs: Date.now() - Number(notes.get('since')) },
        'the user has answered',
      )
  },
}
// #endregion
