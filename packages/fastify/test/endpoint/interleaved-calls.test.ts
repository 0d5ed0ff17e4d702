import { join } from 'node:path'
import {
  closeApps,
  headersOf,
  initializeMessage,
  listen,
  type Message,
  messagesOf,
  modernVersion,
  openApp,
} from '../../../../test/support/client/index.js'
import { runTypeScript } from '../../../../test/support/run-typescript.js'
import { crossed, notebooks, versions, WorkTools, workCall } from '../support/interleaved-work.js'

afterEach(closeApps)

it('20 principals make 5,000 concurrent calls each, all with the id 1, and get only their own results', async () => {
  const callsInEachRevision = 1000
  const report = await runTypeScript(join(__dirname, '..', 'fixtures', 'interleaved-calls.ts'), callsInEachRevision)

  expect(report).toEqual({ notebooks: 100_000, errors: 0 })
})

describe('20 clients over HTTP', () => {
  async function callOverHttp(url: string, version: string, client: number): Promise<readonly string[]> {
    const errors: string[] = []
    const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const send = (message: Message, headers: Record<string, string> = {}) =>
      fetch(url, { method: 'POST', headers: { ...usual, ...headers }, body: JSON.stringify(message) })
    const session =
      version === modernVersion ? null : (await send(initializeMessage(version))).headers.get('mcp-session-id')
    for (let number = 1; number <= 10; number++) {
      const secret = `client-${client} ${version} ${number}`
      const message = workCall(version, number, secret)
      // oxlint-disable-next-line no-await-in-loop
      const response = await send(message, session === null ? headersOf(message) : { 'mcp-session-id': session })
      // oxlint-disable-next-line no-await-in-loop
      const fault = crossed(messagesOf(await response.text()), version, number, secret)
      if (fault !== undefined) errors.push(fault)
    }
    return errors
  }

  it('make 50 concurrent calls each, all with the id 1, and get only their own results', async () => {
    const app = await openApp({ controllers: [WorkTools] })
    const url = `http://127.0.0.1:${await listen(app)}/mcp`
    const clients = Array.from({ length: 20 }, (_, index) =>
      versions.map((version) => callOverHttp(url, version, index)),
    )

    expect((await Promise.all(clients.flat())).flat()).toEqual([])
    expect(notebooks.size).toBe(1000)
  })
})
