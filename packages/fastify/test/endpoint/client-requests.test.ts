// Client requests over HTTP: sent on the stream of the call, and answered by a POST in the session.
import { type McpContext, Type } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  legacyMessage,
  listen,
  type Message,
  messagesOf,
  metaKeys,
  modernMessage,
  openApp,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { until } from '../../../../test/support/until.js'

const Name = Type.Object({ name: Type.String() })

const greet: TestTool = {
  name: 'greet',
  handler: async (_args, context: McpContext) => {
    const { content } = await context.elicit({ key: 'who', message: 'Who?', schema: Name })
    return `Hello, ${content?.name}`
  },
}

const greetLater: TestTool = {
  name: 'greet_later',
  handler: async (args: unknown, context: McpContext) => {
    context.progress(1)
    return greet.handler(args, context)
  },
}

const tools = [greet, greetLater]

afterEach(closeApps)

interface OpenSession {
  readonly url: string
  readonly headers: Record<string, string>
}

async function openSession(app: FastifyInstance, port: number, version = '2025-11-25'): Promise<OpenSession> {
  const { headers } = await connectTo(app, { era: 'legacy' }).initialize(version, { capabilities: { elicitation: {} } })
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': String(headers['mcp-session-id']),
      'mcp-protocol-version': version,
    },
  }
}

async function send({ url, headers }: OpenSession, message: object): Promise<Response> {
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(message) })
}

/** The part of a response received so far, and a way to wait for more. */
function readEvents({ body }: Response) {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  return {
    // oxlint-disable-next-line typescript/no-explicit-any
    next: async (): Promise<any> => {
      const known = messagesOf(text).length
      while (messagesOf(text).length === known) {
        const { done, value } = await reader.read()
        if (done) throw new Error('the stream ended')
        text += Buffer.from(value).toString()
      }
      return messagesOf(text)[known]
    },
  }
}

describe('a client request in a legacy session', () => {
  it('is an event on the stream of the call, and its answer is a POST that gets 202', async () => {
    const app = await openApp({ tools })
    const session = await openSession(app, await listen(app))
    const response = await send(session, legacyMessage('tools/call', toolCall('greet')))
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = readEvents(response)
    const question = await events.next()
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } })
    const result = { action: 'accept', content: { name: 'Ada' } }
    const accepted = await send(session, { jsonrpc: '2.0', id: question.id, result })
    expect([accepted.status, await accepted.text()]).toEqual([202, ''])
    expect(await events.next()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: 'Hello, Ada' }] },
    })
  })

  it('is cancelled when the server closes, and the call is answered at once', async () => {
    const app = await openApp({ tools })
    const session = await openSession(app, await listen(app))
    const response = await send(session, legacyMessage('tools/call', toolCall('greet')))
    await until(() => app.mcp.metrics().pendingClientRequests === 1)

    await app.close()

    const [question, withdrawn, answer] = messagesOf(await response.text())
    expect(withdrawn).toMatchObject({ method: 'notifications/cancelled', params: { requestId: question.id } })
    const text = 'The server is closing, so the client cannot answer the question.'
    expect(answer.result).toStrictEqual({ isError: true, content: [{ type: 'text', text }] })
  })

  it('is sent while another application still serves the same server', async () => {
    const app = await openApp({ tools })
    const other = Fastify({ logger: false })
    await other.register(mcp, { server: app.mcp })
    const session = await openSession(app, await listen(app))
    await send(session, legacyMessage('ping'))

    await other.close()
    const response = await send(session, legacyMessage('tools/call', toolCall('greet')))
    const events = readEvents(response)
    const { id } = await events.next()
    await send(session, { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Ada' } } })

    expect((await events.next()).result.content).toStrictEqual([{ type: 'text', text: 'Hello, Ada' }])
  })

  it('accepts an answer in its own session only', async () => {
    const app = await openApp({ tools })
    const port = await listen(app)
    const session = await openSession(app, port)
    const other = await openSession(app, port)
    const events = readEvents(await send(session, legacyMessage('tools/call', toolCall('greet'))))
    const { id } = await events.next()
    const answer = (name: string) => ({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name } } })
    expect((await send(other, answer('Eve'))).status).toBe(202)
    const { 'mcp-session-id': _none, ...withoutSession } = session.headers
    expect((await send({ ...session, headers: withoutSession }, answer('Eve'))).status).toBe(202)
    const unknown = { ...session.headers, 'mcp-session-id': 'unknown' }
    expect((await send({ ...session, headers: unknown }, answer('Eve'))).status).toBe(404)
    expect((await send(session, answer('Ada'))).status).toBe(202)
    expect(await events.next()).toMatchObject({ result: { content: [{ text: 'Hello, Ada' }] } })
  })

  it('ends with the session', async () => {
    const app = await openApp({ tools })
    const session = await openSession(app, await listen(app))
    const events = readEvents(await send(session, legacyMessage('tools/call', toolCall('greet'))))
    await events.next()
    await fetch(session.url, {
      method: 'DELETE',
      headers: { 'mcp-session-id': String(session.headers['mcp-session-id']) },
    })
    expect(await events.next()).toMatchObject({ id: 1, error: { message: 'Session not found: call initialize again' } })
    await expect(events.next()).rejects.toThrow('the stream ended')
  })

  it('fails if the client does not accept streams', async () => {
    const app = await openApp({ tools })
    const { url, headers } = await openSession(app, await listen(app))
    const session = { url, headers: { ...headers, accept: 'application/json' } }
    const response = await send(session, legacyMessage('tools/call', toolCall('greet')))
    expect(await response.json()).toMatchObject({ result: { isError: true, content: [{ text: mustKeepSession }] } })
  })
})

const mustKeepSession =
  'This call needs responses from the client. The client must keep a session and accept event streams.'

it.each([true, false])('a client request fails without a legacy session (sessions: %s)', async (sessions) => {
  const client = connectTo(await openApp({ tools, sessions }), { era: 'legacy' })
  const { status, json } = await client.call(
    'greet',
    {},
    {
      headers: {
        'mcp-protocol-version': '2025-11-25',
      },
    },
  )
  expect(status).toBe(200)
  expect(json.result).toEqual({ isError: true, content: [{ type: 'text', text: mustKeepSession }] })
})

describe('a client request in the modern era', () => {
  const canFill = { [metaKeys.capabilities]: { elicitation: {} } }

  function round(name: string, more: object = {}): Message {
    return modernMessage('tools/call', { ...toolCall(name), ...more }, canFill)
  }

  it('is the JSON response of the call, and answered with the next call', async () => {
    const client = connectTo(await openApp({ tools }))
    const first = await client.send(round('greet'))
    expect([first.status, first.json.result.resultType]).toEqual([200, 'input_required'])
    expect(Object.keys(first.json.result.inputRequests)).toEqual(['who'])
    const inputResponses = { who: { action: 'accept', content: { name: 'Ada' } } }
    const { requestState } = first.json.result
    const second = await client.send(round('greet', { requestState, inputResponses }))
    expect(second.json.result).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello, Ada' }] })
  })

  it('ends an open stream as a result', async () => {
    const client = connectTo(await openApp({ tools }))
    const message = modernMessage('tools/call', toolCall('greet_later'), { ...canFill, progressToken: 'p' })
    const { headers, text } = await client.send(message)
    expect(headers['content-type']).toBe('text/event-stream')
    const events = messagesOf(text)
    expect(events.map(({ method }) => method as unknown)).toEqual(['notifications/progress', undefined])
    expect(events[1].result.resultType).toBe('input_required')
  })

  it('gets status 400 when the client did not declare the capability', async () => {
    const client = connectTo(await openApp({ tools }))
    const { status, json } = await client.call('greet')
    expect([status, json]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32021,
          message: 'Missing required client capability: elicitation.form',
          data: { requiredCapabilities: { elicitation: { form: {} } } },
        },
      },
    ])
  })

  it('with an invalid state is rejected within an open stream', async () => {
    const client = connectTo(await openApp({ tools }))
    const { status, json } = await client.send(round('greet', { requestState: 'tampered' }))
    expect([status, json.error.data]).toEqual([200, { reason: 'invalid_request_state' }])
  })
})
