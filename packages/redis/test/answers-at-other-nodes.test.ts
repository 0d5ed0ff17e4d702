// Messages of a client of 2025-11-25 or older to one node, for a call that runs on another.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { defaultLimits, InProcessChangeBus, type McpContext, Type } from '@toolwright/core'
import { InMemorySessionStore } from '@toolwright/sessions'
import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  legacyMessage,
  listen,
  messagesIn,
  openApp,
  openSession,
  type TestTool,
  toolCall,
} from '../../../test/support/client/index.js'
import { until } from '../../../test/support/until.js'
import { inTurn } from '../../fastify/test/support/in-turn.js'
import { seeded } from '../../fastify/test/support/random.js'
import { SlowEventStore } from '../../fastify/test/support/slow-event-store.js'
import { createWaitingTool } from '../../fastify/test/support/waiting-tool.js'

import { newPrefix, RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests(closeApps)

const Ok = Type.Object({ ok: Type.Boolean() })

const asks: TestTool = {
  name: 'asks',
  handler: async (_args, context: McpContext) => {
    const { action, content } = await context.elicit({ message: 'Sure?', schema: Ok })
    return `${action} ${content?.ok}`
  },
}

const samples: TestTool = {
  name: 'samples',
  handler: async (_args, context: McpContext) => {
    const { model } = await context.sample({ messages: [{ role: 'user', content: 'Say hi' }], maxTokens: 10 })
    return model
  },
}

const asksAll: TestTool = {
  name: 'asks_all',
  handler: async (_args, context: McpContext) => {
    const { action } = await context.elicit({ message: 'Sure?', schema: Ok })
    const { content } = await context.sample({ messages: [{ role: 'user', content: 'Say hi' }], maxTokens: 10 })
    const roots = await context.listRoots()
    return JSON.stringify([action, content, roots])
  },
}

/** The stores and buses that two nodes share. */
const stores = {
  'in memory': async () => {
    const shared = {
      sessionStore: new InMemorySessionStore(defaultLimits),
      eventStore: new SlowEventStore(seeded(1)),
      changeBus: new InProcessChangeBus(),
    }
    return [shared, shared]
  },
  'in Redis': async () => {
    const prefix = newPrefix()
    const [a, b] = [await server.connect({ prefix }), await server.connect({ prefix })]
    return [a.stores, b.stores]
  },
} as const

type Where = keyof typeof stores

async function openNodes(
  where: Where,
  tools: readonly TestTool[],
): Promise<readonly [FastifyInstance, FastifyInstance]> {
  const [ofA, ofB] = await stores[where]()
  return [await openApp({ ...ofA, tools }), await openApp({ ...ofB, tools })]
}

/** A session with a client that supports elicitation, connected to the first node. */
async function openAsking([node]: readonly [FastifyInstance, FastifyInstance], version = '2025-11-25') {
  const atA = await openSession(node, { version, params: { capabilities: { elicitation: {}, sampling: {} } } })
  return { atA, close: () => atA.close() }
}

describe.each(Object.keys(stores) as Where[])('nodes that share sessions %s', (where) => {
  it.each([asks, asksAll])(
    'send client requests at one node, and accept the answer at any ($name)',
    async ({ name }) => {
      const nodes = await openNodes(where, [asks, asksAll])
      const ports = await Promise.all(nodes.map(listen))
      const way = inTurn(ports)
      const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${ports[0]}/mcp`), way)
      const capabilities = { elicitation: {}, sampling: {}, roots: {} }
      const client = new Client(
        { name: 'moving', version: '1' },
        { versionNegotiation: { mode: 'legacy' }, capabilities },
      )
      client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { ok: true } }))
      const hi = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' } as const
      client.setRequestHandler('sampling/createMessage', async () => hi)
      client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///home' }] }))
      await client.connect(transport)

      const results = []
      for (let round = 0; round < 4; round++) results.push((await client.callTool({ name })).content)

      const roots = [{ uri: 'file:///home' }]
      const text = name === 'asks' ? 'accept true' : JSON.stringify(['accept', [hi.content], roots])
      expect(results).toStrictEqual(results.map(() => [{ type: 'text', text }]))
      expect(new Set(way.statuses)).toEqual(new Set([200, 202]))
      expect(nodes.map((app) => app.mcp.metrics().pendingClientRequests)).toStrictEqual([0, 0])
      await client.close()
    },
  )

  it('cancel a call that runs on the other node', async () => {
    const { tool, seen, release } = createWaitingTool()
    const nodes = await openNodes(where, [tool])
    const { atA, close } = await openAsking(nodes)
    const calling = atA.stream(legacyMessage('tools/call', toolCall('wait'), 'one'))
    await until(() => nodes[0].mcp.metrics().inFlight.value > 0)
    const cancel = (requestId: unknown) => atA.at(nodes[1]).notify('notifications/cancelled', { requestId })

    const statuses = [
      (await cancel('another')).status,
      (await cancel({})).status,
      seen.aborted,
      (await cancel('one')).status,
    ]

    expect(statuses).toStrictEqual([202, 202, 0, 202])
    await until(() => seen.aborted === 1)
    const { status } = await calling
    expect(status).toBe(200)
    await until(() => nodes[0].mcp.metrics().inFlight.value === 0)
    release()
    close()
  })

  it('return the result of a batch that waits for an answer at the other node', async () => {
    const nodes = await openNodes(where, [samples])
    const { atA, close } = await openAsking(nodes, '2025-03-26')
    const stream = await atA.stream(legacyMessage('tools/call', toolCall('samples')))
    const { id } = await stream.message()
    const result = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'small' }

    const reply = await atA.at(nodes[1]).send([{ jsonrpc: '2.0', id, result }, legacyMessage('ping', {}, 7)])

    expect(reply.json).toStrictEqual([{ jsonrpc: '2.0', id: 7, result: {} }])
    const [{ result: called }] = messagesIn(await stream.rest())
    expect(called.content).toStrictEqual([{ type: 'text', text: 'small' }])
    close()
  })

  it('accept and ignore an answer without a pending request', async () => {
    const nodes = await openNodes(where, [asks])
    const { atA, close } = await openAsking(nodes)
    const stream = await atA.stream(legacyMessage('tools/call', toolCall('asks')))
    const { id } = await stream.message()
    const answer = { jsonrpc: '2.0', id, result: { action: 'decline' } }

    const ids = ['0f8fad5b-d9cb-469f-a165-70867728950e', 'x', 7, undefined]
    const replies = await Promise.all(
      ids.map((unknown) => atA.at(nodes[1]).send({ ...answer, id: unknown, result: {} })),
    )

    expect(replies.map(({ status }) => status)).toStrictEqual(replies.map(() => 202))
    expect(nodes[0].mcp.metrics().pendingClientRequests).toBe(1)
    for (let time = 0; time < 2; time++) expect((await atA.at(nodes[1]).send(answer)).status).toBe(202)
    const [{ result }] = messagesIn(await stream.rest())
    expect(result.content).toStrictEqual([{ type: 'text', text: 'decline undefined' }])
    close()
  })

  it('wait during the shutdown for an answer that the other node receives', async () => {
    const nodes = await openNodes(where, [asks])
    const { atA, close } = await openAsking(nodes)
    const stream = await atA.stream(legacyMessage('tools/call', toolCall('asks')))
    const { id } = await stream.message()

    const closing = nodes[0].close()
    await atA.at(nodes[1]).send({ jsonrpc: '2.0', id, result: { action: 'decline' } })

    const [{ result }] = messagesIn(await stream.rest())
    expect(result.content).toStrictEqual([{ type: 'text', text: 'decline undefined' }])
    await closing
    close()
  })

  it('ignore an answer of another session', async () => {
    const nodes = await openNodes(where, [asks])
    const { atA, close } = await openAsking(nodes)
    const stranger = await openSession(nodes[1], { params: { capabilities: { elicitation: {} } } })
    const stream = await atA.stream(legacyMessage('tools/call', toolCall('asks')))
    const { id } = await stream.message()
    const answer = (action: string) => ({ jsonrpc: '2.0', id, result: { action } })

    await stranger.send(answer('cancel'))
    await atA.at(nodes[1]).send(answer('decline'))
    const [{ result }] = messagesIn(await stream.rest())
    expect(result.content).toStrictEqual([{ type: 'text', text: 'decline undefined' }])
    close()
  })
})
