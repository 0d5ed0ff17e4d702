import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import {
  closeApps,
  legacyMessage,
  listen,
  openApp,
  openSession,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { processorMs } from '../../../../test/support/processor-time.js'

afterEach(closeApps)

const echo: TestTool = {
  name: 'echo',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  handler: ({ text }: { text: string }) => setTimeout(20, text),
}

async function callEcho(port: number, text: string, agent: Agent): Promise<unknown> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const sent = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent, headers })
  sent.end(JSON.stringify(legacyMessage('tools/call', toolCall('echo', { text }))))
  const [response] = await once(sent, 'response')
  return json(response)
}

const answer = (text: string) => ({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } })

it('300 concurrent calls, beside 1,000 open connections, get their own results', async () => {
  const port = await listen(await openApp({ tools: [echo] }))
  const idle = await Promise.all(
    Array.from({ length: 1000 }, async (): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    }),
  )
  const agent = new Agent({ keepAlive: true })
  const texts = Array.from({ length: 300 }, (_, index) => `text ${index}`)
  let answers: unknown[] = []
  const tookMs = await processorMs(async () => {
    answers = await Promise.all(texts.map((text) => callEcho(port, text, agent)))
  })

  expect(tookMs).toBeLessThan(5000)
  expect(answers).toEqual(texts.map(answer))
  expect(idle.filter(({ readyState }) => readyState !== 'open')).toHaveLength(0)
  for (const socket of idle) socket.destroy()
  agent.destroy()
})

it('1,000 ids are sent twice at once in a session: the first call is answered, the second rejected', async () => {
  const app = await openApp({ tools: [echo] })
  const session = await openSession(app)
  const send = async (id: number, text: string) => {
    const { status, json: body } = await session.call('echo', { text }, { id })
    return [status, body.id, body.result?.content[0].text ?? body.error.code]
  }
  const seen: unknown[] = []
  for (let begin = 0; begin < 1000; begin += 50) {
    const ids = Array.from({ length: 50 }, (_, index) => begin + index)
    // oxlint-disable-next-line no-await-in-loop
    seen.push(...(await Promise.all(ids.flatMap((id) => [send(id, `first ${id}`), send(id, `second ${id}`)]))))
  }

  const expected = Array.from({ length: 1000 }, (_, id) => [
    [200, id, `first ${id}`],
    [400, id, -32600],
  ])
  expect(seen).toEqual(expected.flat())
})
