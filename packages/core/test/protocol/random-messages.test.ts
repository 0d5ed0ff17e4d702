// Properties of the responses to random messages. As in all tests, the responses are also validated against the
// official schemas.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { connectInMemory, type McpServer, Type } from '@toolwright/core'
import * as fc from 'fast-check'
import { sendsHostileRequests } from '../../../../test/support/frames/frames.js'
import { requestsOf, spoilt } from '../support/random-messages.js'
import { modernVersion, serve, type Version, versions } from './client.js'

beforeEach(sendsHostileRequests)

/** A fixed seed: the same messages in every run, so that failures are reproducible. */
const bounds = { seed: 20_260_728, numRuns: 150 }

/** Internal names that must not be disclosed. */
const internals = /node_modules|node:internal|\.[tj]s:\d|\bat .*:\d+:\d+|TypeError|RangeError|\[object/

const known = {
  name: ['echo', 'greet', 'steps', 'constructor'],
  uri: ['notes://today', 'notes://%ff', 'days://1', 'days://../x'],
  arguments: [{}, { n: 1, text: 'x' }, { n: '1' }],
  'io.modelcontextprotocol/protocolVersion': [modernVersion],
  'io.modelcontextprotocol/clientCapabilities': [{}, { elicitation: {}, sampling: {} }],
  requestState: ['', 'x'],
}

async function serveAll(): Promise<McpServer> {
  const input = Type.Object({ n: Type.Optional(Type.Integer()), text: Type.Optional(Type.String()) })
  const server = await serve([{ name: 'steps', handler: (_args, context) => context.progress(1, 2) }])
  server.catalog.addTool({ name: 'echo', input, output: input, handler: (args) => args })
  server.catalog.addPrompt({ name: 'greet', input: Type.Object({ text: Type.String() }), handler: () => 'Hello' })
  server.catalog.addResource({ uri: 'notes://today', name: 'today', handler: () => 'today' })
  server.catalog.addResource({ uri: 'days://{day}', name: 'day', handler: ({ day }) => day })
  server.catalog.addCompletion({ prompt: 'greet', argument: 'text', handler: ({ value }) => [value] })
  return server
}

// oxlint-disable-next-line typescript/no-explicit-any
type Message = any

/** Messages that the server sends for one message of a separate client. No handler here waits for anything. */
async function exchange(server: McpServer, version: Version, message: object): Promise<Message[]> {
  const received: Message[] = []
  const client = connectInMemory(server, { onMessage: (one) => received.push(one) })
  if (version !== modernVersion) {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'random', version: '0' } }
    client.send({ jsonrpc: '2.0', method: 'initialize', id: 'first', params })
  }
  client.send(message)
  await nextTurn()
  await nextTurn()
  await client.close()
  return received.filter(({ id }) => id !== 'first')
}

describe.each(versions)('a request of %s', (version) => {
  it.each([
    ['that matches its schema', requestsOf(version, known)],
    ['with one random change', spoilt(requestsOf(version, known))],
  ])('%s has one response, without internal details', async (_what, requests) => {
    const server = await serveAll()
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const sent = await exchange(server, version, { ...request, jsonrpc: '2.0', id: 'asked' })

        const answers = sent.filter(({ method }) => method === undefined)

        expect(answers.map(({ id }) => id)).toEqual(['asked'])
        expect(answers[0].error?.code).not.toBe(-32603)
        expect(JSON.stringify(answers[0].error?.message ?? '')).not.toMatch(internals)
      }),
      bounds,
    )
    expect(server.metrics().inFlight.value).toBe(0)
    await server.close()
  })

  it('without an id has no response', async () => {
    const server = await serveAll()
    await fc.assert(
      fc.asyncProperty(requestsOf(version, known), async (request) => {
        const { id: _id, ...notification } = request as { readonly id?: unknown }

        expect(await exchange(server, version, { ...notification, jsonrpc: '2.0' })).toEqual([])
      }),
      { ...bounds, numRuns: 50 },
    )
    await server.close()
  })
})
