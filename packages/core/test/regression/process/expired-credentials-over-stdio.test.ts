// A client over stdio, or in the same process, whose credentials expire.
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Authorize, connectInMemory, type McpServer, McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { serveStdio } from '@toolwright/server/stdio'
import { pino } from 'pino'
import { until } from '../../../../../test/support/until.js'

class Waiting {
  @McpTool()
  async wait(): Promise<string> {
    await sleep(300)
    return 'done'
  }
}

class Closed {
  @McpTool()
  @Authorize()
  secret(): string {
    return 'secret'
  }
}

async function serve(controllers: readonly (new () => object)[]): Promise<{ server: McpServer; lines: string[] }> {
  const lines: string[] = []
  const logger = pino({}, { write: (line: string) => void lines.push(line) })
  const server = await createServer({ name: 'test', version: '1', controllers: [...controllers], logger })
  return { server, lines }
}

const message = (id: number, method: string, params: object = {}): object => ({ jsonrpc: '2.0', id, method, params })
const call = (id: number): object => message(id, 'tools/call', { name: 'wait', arguments: {} })
const inSeconds = (seconds: number): number => Date.now() / 1000 + seconds

test('serveStdio ends when the credentials expire, after calls in flight are answered', async () => {
  const { server } = await serve([Waiting])
  const [input, output] = [new PassThrough(), new PassThrough()]
  let text = ''
  output.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const principal = { subject: 'ada', expiresAt: inSeconds(0.2) }
  const served = serveStdio(server, { input, output, principal })
  const clientInfo = { name: 'raw', version: '1' }
  input.write(
    `${JSON.stringify(message(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }))}\n`,
  )
  input.write(`${JSON.stringify(call(2))}\n`)
  await sleep(220)
  input.write(`${JSON.stringify(message(3, 'ping'))}\n`)
  await served
  const answers = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; error?: { message: string } })
  expect(answers.find(({ id }) => id === 2)).toHaveProperty('result')
  expect(answers.find(({ id }) => id === 3)?.error?.message).toMatch(
    /^Unauthorized: the credentials of this connection/,
  )
  await server.close()
})

test('serveStdio ends at once with expired credentials', async () => {
  const { server } = await serve([Waiting])
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = serveStdio(server, { input, output, principal: { subject: 'ada', expiresAt: inSeconds(-1) } })
  await expect(served).resolves.toBeUndefined()
  await server.close()
})

test('an in-memory client is rejected after its credentials have expired', async () => {
  const { server } = await serve([Waiting])
  const answers: { id: number; error?: { message: string } }[] = []
  const client = connectInMemory(server, {
    principal: { subject: 'ada', expiresAt: inSeconds(-1) },
    onMessage: (answer) => void answers.push(answer as { id: number }),
  })
  client.send(message(1, 'ping'))
  await until(() => answers.length > 0)
  expect(answers[0]?.error?.message).toMatch(/^Unauthorized/)
  await client.close()
  await server.close()
})

test('the warning that features are unreachable is logged once for a server', async () => {
  const { server, lines } = await serve([Closed])
  for (let index = 0; index < 3; index++) {
    const [input, output] = [new PassThrough(), new PassThrough()]
    input.end()
    // oxlint-disable-next-line no-await-in-loop
    await serveStdio(server, { input, output })
  }
  expect(lines.filter((line) => line.includes('stdio does not authenticate callers'))).toHaveLength(1)
  await server.close()
})
