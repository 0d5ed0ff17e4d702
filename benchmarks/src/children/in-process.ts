import { Exchange } from '@toolwright/core/internal'
import { createServer, type McpServer } from 'toolwright'
import { benchmarkControllers } from '../benchmark-host.js'
import { answerMessages } from '../child.js'
import { type EraName, messageOf, prepareRequest } from '../requests.js'

const warmUpCalls = 50_000
const callsAtOnce = 20_000

/** Nanoseconds of one `tools/call` without any transport: from the parsed message to the text of its answer. */
answerMessages(async ({ era, milliseconds }: { era: EraName; milliseconds: number }) => {
  const server = await createServer({ name: 'benchmark', version: '1.0.0', controllers: benchmarkControllers(0) })
  const message = messageOf(prepareRequest('tools/call', era, null))
  await callMany(server, message, warmUpCalls)
  const samples: number[] = []
  for (const end = performance.now() + milliseconds; performance.now() < end; ) {
    samples.push(await nanosPerCall(server, message))
  }
  return { samples }
})

async function nanosPerCall(server: McpServer, message: unknown): Promise<number> {
  const start = process.hrtime.bigint()
  await callMany(server, message, callsAtOnce)
  return Number(process.hrtime.bigint() - start) / callsAtOnce
}

async function callMany(server: McpServer, message: unknown, count: number): Promise<void> {
  for (let call = 0; call < count; call++) {
    const { status } = await server.receive(exchangeOf(message, server))
    if (status !== 200) throw new Error(`A call was answered with status ${status}`)
  }
}

function exchangeOf(message: unknown, { log }: McpServer): Exchange {
  return new Exchange({ message, log, headers: null, principal: null, peer: null, sessions: null, notify: () => {} })
}
