import { setTimeout as sleep } from 'node:timers/promises'
import {
  McpContext,
  McpTool,
  type ProgressUpdate,
  type Static,
  Type,
} from 'toolwright'

const Wait = Type.Object({
  key: Type.String({
    description: 'Name under which test_wait_outcome finds this call',
  }),
  ms: Type.Integer({ minimum: 0, maximum: 600_000 }),
})

const WaitOutcome = Type.Object({
  key: Type.String({ description: 'Argument `key` of the call of test_wait' }),
})

type Outcome = 'running' | 'completed' | 'aborted'

const rememberedWaits = 1000

/** Progress, cancellation and log lines of a running call. */
export class RunningTools {
  readonly #waits = new Map<string, Outcome>()

  @McpTool('test_tool_with_progress', {
    description: 'Reports progress three times',
  })
  async *progress(): AsyncGenerator<ProgressUpdate, string> {
    for (const progress of [0, 50, 100]) {
      yield { progress, total: 100 }
      await sleep(50)
    }
    return 'Progress was reported three times.'
  }

  @McpTool('test_reconnection', {
    description:
      'Closes its event stream at once, so that the client has to resume it for the result',
  })
  async reconnection(context: McpContext): Promise<string> {
    context.closeStream()
    await sleep(100)
    return 'The result arrived on the resumed stream.'
  }

  @McpTool('test_wait', {
    description: 'Waits, or stops when the call is cancelled',
    input: Wait,
  })
  async wait(
    { key, ms }: Static<typeof Wait>,
    context: McpContext,
  ): Promise<string> {
    this.#note(key, 'running')
    context.progress(0, ms)
    try {
      await sleep(ms, undefined, { signal: context.signal })
      this.#note(key, 'completed')
      return `Waited ${ms} ms.`
    } catch (error) {
      this.#note(key, 'aborted')
      throw error
    }
  }

  @McpTool('test_wait_outcome', {
    description: 'Returns the outcome of a call of test_wait',
    input: WaitOutcome,
  })
  waitOutcome({ key }: Static<typeof WaitOutcome>): string {
    return this.#waits.get(key) ?? 'unknown'
  }

  #note(key: string, outcome: Outcome): void {
    this.#waits.delete(key)
    this.#waits.set(key, outcome)
    const [oldest] = this.#waits.keys()
    if (this.#waits.size > rememberedWaits && oldest !== undefined)
      this.#waits.delete(oldest)
  }
}
