import { type Answer, Exchange, runningServer } from '@toolwright/core/transport'
import { createServer, type McpServer } from 'toolwright'
import { benchmarkControllers } from '../benchmark-tools.js'
import { answerMessages } from '../child.js'
import { callParams, type EraName, messageOf, prepareRequest } from '../requests.js'

const warmUpCalls = 50_000
const callsAtOnce = 20_000

type Call = () => Promise<void>

/**
 * Measures the nanoseconds of one `tools/call` without a transport: from the parsed message to the serialized answer.
 * Without an era, it measures `callTool`, from the arguments to the result.
 */
answerMessages(async ({ era, milliseconds }: { era: EraName | null; milliseconds: number }) => {
  const server = await createServer({ name: 'benchmark', version: '1.0.0', controllers: benchmarkControllers(0) })
  const call = era === null ? directCall(server) : messageCall(server, era)
  await callMany(call, warmUpCalls)
  const samples: number[] = []
  for (const end = performance.now() + milliseconds; performance.now() < end; ) samples.push(await nanosPerCall(call))
  return { samples }
})

function messageCall(server: McpServer, era: EraName): Call {
  const message = messageOf(prepareRequest('tools/call', era, null))
  const running = runningServer(server)
  const sender = { principal: null, transport: null, headers: null, log: server.log }
  return async () => {
    const exchange = new MessageExchange({ message, headers: null, sender })
    running.receive(exchange)
    if (exchange.status !== 200) throw new Error(`A call was answered with status ${exchange.status}`)
  }
}

function directCall(server: McpServer): Call {
  const { name, arguments: args } = callParams
  return async () => {
    const { isError } = await server.callTool(name, args)
    if (isError === true) throw new Error('A call failed')
  }
}

async function nanosPerCall(call: Call): Promise<number> {
  const start = process.hrtime.bigint()
  await callMany(call, callsAtOnce)
  return Number(process.hrtime.bigint() - start) / callsAtOnce
}

async function callMany(call: Call, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await call()
}

/** Stores the status of its answer, which is synchronous for the tools of this benchmark. */
class MessageExchange extends Exchange {
  status = 0

  protected sendAnswer({ status }: Answer): void {
    this.status = status
  }

  send(): void {}

  crash(error: unknown): void {
    throw error
  }
}
