// A proxy cuts the connection between a client and its server in the middle of a call.
import { ConnectionError, connect, type McpClient } from '@toolwright/client'
import { McpContext, McpController, type McpServer, McpTool } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { createServer } from '@toolwright/server'
import Fastify, { type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { CuttingProxy } from '../../../test/support/cutting-proxy.js'
import { createGate, type Gate } from '../../../test/support/gate.js'

let gate: Gate
let calls: number

@McpController()
class PressTools {
  @McpTool({ description: 'Prints in two steps' })
  async print(context: McpContext): Promise<string> {
    calls++
    context.progress(1, 2)
    await gate.opened
    context.progress(2, 2)
    return 'printed'
  }
}

let app: FastifyInstance
let server: McpServer
let proxy: CuttingProxy

beforeEach(async () => {
  gate = createGate()
  calls = 0
  server = await createServer({
    name: 'press',
    version: '1.0.0',
    controllers: [PressTools],
    logger: pino({ level: 'silent' }),
  })
})

afterEach(async () => {
  gate.open()
  await proxy.close()
  await app.close()
  await server.close()
})

/** Serves the press behind a proxy. */
async function connectThroughProxy(era: 'modern' | 'legacy', sessions: boolean): Promise<McpClient> {
  app = Fastify({ forceCloseConnections: true })
  await app.register(mcp, { server, allowAnonymous: true, sessions, drainTimeoutMs: 0, retryMs: 10 })
  await app.listen({ host: '127.0.0.1', port: 0 })
  proxy = await CuttingProxy.open((app.server.address() as { port: number }).port)
  const reconnect = { attempts: 20, delayMs: 10, maxDelayMs: 50 }
  return connect(`http://127.0.0.1:${proxy.port}/mcp`, { era, reconnect, timeoutMs: 20_000 })
}

/** Calls the tool, and cuts the connection after the first report of progress. */
async function callAndCut(client: McpClient): Promise<{ outcome: unknown; progress: readonly number[] }> {
  const call = client.tools<PressTools>().print()
  const progress: number[] = []
  const reading = (async () => {
    for await (const { progress: step } of call.progress) {
      progress.push(step)
      if (step === 1) {
        proxy.cut()
        gate.open()
      }
    }
  })()
  const outcome = await call.catch((error: unknown) => error)
  await reading
  return { outcome, progress }
}

test('a call in a session resumes, and gets the progress and the result that it has missed', async () => {
  await using client = await connectThroughProxy('legacy', true)

  expect(await callAndCut(client)).toEqual({ outcome: 'printed', progress: [1, 2] })
  expect(calls).toBe(1)
})

test.each([
  ['of 2026-07-28, which has no resumption,', 'modern', true],
  ['without a session', 'legacy', false],
] as const)('a call %s rejects at once, and is not repeated', async (_kind, era, sessions) => {
  await using client = await connectThroughProxy(era, sessions)
  const { outcome, progress } = await callAndCut(client)

  expect(outcome).toBeInstanceOf(ConnectionError)
  expect((outcome as Error).message).toMatch(
    /^The call of 'print' failed: the connection was lost before the response\. The server may have processed the request\.$/,
  )
  expect(progress).toEqual([1])
  expect(calls).toBe(1)
  // The client still works.
  expect(await client.tools<PressTools>().print()).toBe('printed')
})
