// #region tool
import { setTimeout } from 'node:timers/promises'
import {
  type CallHook,
  createHost,
  InMemoryRateLimiter,
  LimitError,
  McpTool,
  Type,
} from 'toolwright'

const Query = Type.Object({ text: Type.String() })

export class SearchTools {
  @McpTool({
    description: 'Searches the archive',
    input: Query,
    timeoutMs: 5000,
    maxConcurrent: 8,
    rateLimit: { calls: 30, windowMs: 60_000 },
  })
  async search({ text }: { text: string }): Promise<string> {
    await setTimeout(100)
    return `Nothing about ${text}.`
  }
}
// #endregion

export async function createLimitedHost() {
  // #region host
  const host = await createHost({
    name: 'archive',
    version: '1.0.0',
    controllers: [SearchTools],
    limits: { maxInFlight: 500, maxInFlightPerCaller: 20 },
    rateLimit: { calls: 600, windowMs: 60_000 },
  })
  // #endregion
  return host
}

// #region tenant
const limiter = new InMemoryRateLimiter()

export const perTenant: CallHook = {
  async onInvoking({ context }) {
    const tenant = String(context.principal?.claims['tenant'])
    const waitMs = await limiter.take(tenant, { calls: 1000, windowMs: 60_000 })
    if (waitMs > 0)
      throw new LimitError(
        'rateLimited',
        'Your company calls too often',
        waitMs,
      )
  },
}
// #endregion
