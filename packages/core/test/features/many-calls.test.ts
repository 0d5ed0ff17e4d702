// What must not add up: twenty thousand calls leave behind what one call does.
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  createServer,
  injectable,
  Lifecycle,
  McpTool,
  type ServerOptions,
  type Static,
  scoped,
  Type,
} from '@toolwright/core'
import { pino } from 'pino'
import { openRawClient } from '../support/raw-client.js'

// A second or two alone, and half a minute in a process that has run many other tests.
jest.setTimeout(120_000)

async function open(controllers: ServerOptions['controllers']) {
  const logger = pino({ level: 'silent' })
  return openRawClient(await createServer({ name: 'many', version: '1', controllers, logger }))
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  for (let round = 0; round < 4; round++) {
    // A `WeakRef` that was made or read keeps its object for the rest of the turn.
    // oxlint-disable-next-line no-await-in-loop
    await setImmediate()
    gc()
  }
}

it('what is made for one call is disposed with it and held by nobody, 20,000 times', async () => {
  const alive: WeakRef<object>[] = []
  let disposed = 0

  @scoped(Lifecycle.ContainerScoped)
  class Transaction {
    constructor() {
      alive.push(new WeakRef(this))
    }

    dispose(): void {
      disposed++
    }
  }

  @injectable()
  class Tools {
    constructor(readonly transaction: Transaction) {}

    @McpTool()
    isShared(transaction: Transaction): boolean {
      return transaction === this.transaction
    }
  }
  await using client = await open([Tools])
  for (let count = 0; count < 400; count++) {
    const calls = Array.from({ length: 50 }, () => client.modern('tools/call', { name: 'is_shared', arguments: {} }))
    // oxlint-disable-next-line no-await-in-loop
    const texts = (await Promise.all(calls)).map(({ result }) => result.content[0].text)
    expect(texts.filter((text) => text !== 'true')).toEqual([])
  }
  await collectGarbage()

  expect([alive.length, disposed]).toEqual([20_000, 20_000])
  expect(alive.filter((reference) => reference.deref() !== undefined)).toHaveLength(0)
})

it('schemas are compiled at boot, and nothing is in 10,000 requests', async () => {
  const Sum = Type.Object({ a: Type.Number(), b: Type.Number() })
  const plain = { type: 'object', properties: { text: { type: 'string', pattern: '^x+$' } } }

  class Tools {
    @McpTool({ input: Sum, output: Type.Object({ sum: Type.Number() }) })
    add({ a, b }: Static<typeof Sum>): { sum: number } {
      return { sum: a + b }
    }

    @McpTool({ inputSchema: plain })
    echo({ text }: { text: string }): string {
      return text
    }
  }
  // Both libraries make functions out of text, and nothing else here does.
  const made = jest.spyOn(globalThis, 'Function')
  try {
    await using client = await open([Tools])
    const atBoot = made.mock.calls.length
    for (let count = 0; count < 2500; count++) {
      // oxlint-disable-next-line no-await-in-loop
      const answers = await Promise.all([
        client.modern('tools/call', { name: 'add', arguments: { a: count, b: 1 } }),
        client.modern('tools/call', { name: 'add', arguments: { a: 'x' } }),
        client.modern('tools/call', { name: 'echo', arguments: { text: 'xx' } }),
        client.modern('tools/list', {}),
      ])
      expect(answers[0].result.structuredContent).toEqual({ sum: count + 1 })
      expect(answers[1].result.isError).toBe(true)
    }

    // Two of TypeBox, one of Ajv.
    expect(atBoot).toBeGreaterThanOrEqual(3)
    expect(made.mock.calls).toHaveLength(atBoot)
  } finally {
    made.mockRestore()
  }
})
