import { setTimeout as sleep } from 'node:timers/promises'
import { Authorize, McpCompletion, McpPrompt, McpResource, McpTool, type Principal, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { until } from '../../../../test/support/until.js'
import { openRawClient } from '../support/raw-client.js'
import { recording } from './recording.js'

@Authorize({ roles: ['Admin'], policy: ({ principal }) => principal?.subject === 'root' })
class Vault {
  @McpTool({ description: 'Open', input: Type.Object({ by: Type.String() }) })
  open(_input: { by: string }): string {
    return 'open'
  }

  @McpPrompt({ input: Type.Object({ by: Type.String() }) })
  ask(_input: { by: string }): string {
    return 'Open.'
  }

  @McpResource('vault://content')
  content(): string {
    return 'gold'
  }

  @McpCompletion({ prompt: 'ask', argument: 'by' })
  names(): string[] {
    return ['root']
  }
}

const requests: readonly [feature: string, method: string, params: object][] = [
  ['tool open', 'tools/call', { name: 'open', arguments: { by: 'me' } }],
  ['prompt ask', 'prompts/get', { name: 'ask', arguments: { by: 'me' } }],
  ['resource vault://content', 'resources/read', { uri: 'vault://content' }],
  [
    'completion prompt ask: by',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'ask' }, argument: { name: 'by', value: '' } },
  ],
]

const callers: readonly [who: string, principal: Principal | undefined, message: string][] = [
  ['nobody', undefined, 'Unauthorized: authenticate first'],
  [
    'without the role',
    { subject: 'ada', roles: [], scopes: [], claims: {} },
    'Forbidden: you are not allowed to use this',
  ],
  [
    'without the policy',
    { subject: 'ada', roles: ['Admin'], scopes: [], claims: {} },
    'Forbidden: you are not allowed to use this',
  ],
]

const cells = callers.flatMap(([who, principal, message]) =>
  requests.flatMap(([feature, method, params]) =>
    [false, true].map((hideForbidden) => ({ who, principal, message, feature, method, params, hideForbidden })),
  ),
)

it.each(cells)(
  'hooks observe once that $who may not use $feature, with the reason (hidden: $hideForbidden)',
  async ({ principal, message, feature, method, params, hideForbidden }) => {
    const notes: unknown[] = []
    const server = await createServer({
      name: 'test',
      version: '1',
      logger: pino({ level: 'silent' }),
      controllers: [Vault],
      hooks: [recording('hook', notes)],
      authorization: { hideForbidden },
    })
    const client = openRawClient(server, principal)
    await client.request(method, params)
    // Completions of a prompt that the caller cannot see belong to no feature.
    const isUnknown = feature.startsWith('completion') && principal?.roles.includes('Admin') !== true
    const kind = principal === undefined ? 'unauthorized' : 'forbidden'
    // Hooks run after the response.
    for (let tries = 0; tries < (isUnknown ? 5 : 1000) && notes.length === 0; tries++) {
      // oxlint-disable-next-line no-await-in-loop
      await sleep(1)
    }
    expect(notes).toEqual(isUnknown ? [] : [['hook', 'onFailed', feature, kind, message]])
    await client[Symbol.asyncDispose]()
    await server.close()
  },
)

it('synchronous hooks do not change the response to invalid arguments', async () => {
  const heard: string[] = []
  const server = await createServer({
    name: 'test',
    version: '1',
    logger: pino({ level: 'silent' }),
    controllers: [Vault],
    hooks: [{ onFailed: (_call, error) => void heard.push(error.name) }],
  })
  await using client = openRawClient(server, { subject: 'root', roles: ['Admin'], scopes: [], claims: {} })
  const { result } = await client.request('tools/call', { name: 'open', arguments: {} })

  expect(JSON.stringify(result)).toContain("Invalid arguments for tool 'open'")
  expect([heard, server.metrics().observedRejections.value]).toEqual([['InvalidArguments'], 0])
  await server.close()
})

describe('slow hooks', () => {
  /** A server with a hook that the test releases, and the log lines of the server. */
  async function openSlowServer() {
    const lines: { msg: string; level: number }[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line) as { msg: string; level: number }) }
    const ends: (() => void)[] = []
    let told = 0
    let rejected = 0
    const server = await createServer({
      name: 'test',
      version: '1',
      logger: pino({ level: 'info', base: null, timestamp: false }, stream),
      controllers: [Vault],
      hooks: [
        {
          onFailed: async () => {
            told++
            return new Promise((resolve) => ends.push(resolve))
          },
        },
      ],
      limits: { maxInFlight: 3, hookTimeoutMs: 60_000 },
    })
    const client = openRawClient(server, { subject: 'root', roles: ['Admin'], scopes: [], claims: {} })
    const stranger = openRawClient(server)
    const reject = async (count: number, who = stranger, args: object = { by: 'me' }): Promise<void> => {
      for (let index = 0; index < count; index++) {
        // oxlint-disable-next-line no-await-in-loop
        await who.request('tools/call', { name: 'open', arguments: args })
      }
      rejected += count
      // Hooks run after the responses.
      await until(() => told + server.metrics().unobservedRejections === rejected)
    }
    const close = async (): Promise<void> => {
      for (const end of ends) end()
      await Promise.all([client, stranger].map(async (one) => one[Symbol.asyncDispose]()))
      await server.close()
    }
    return { server, lines, ends, client, reject, close }
  }

  const busy = { level: 40, max: 3, msg: 'rejected calls are not reported to hooks: too many are pending' }
  const again = (unobserved: number) => ({ level: 30, unobserved, msg: 'rejected calls are reported to hooks again' })

  it.each([
    ['a rule', (test: Awaited<ReturnType<typeof openSlowServer>>) => test.reject(10)],
    ['their arguments', (test: Awaited<ReturnType<typeof openSlowServer>>) => test.reject(10, test.client, {})],
  ])('observe a limited number of concurrent calls that are rejected for %s', async (_why, rejectTen) => {
    const test = await openSlowServer()
    await rejectTen(test)
    expect(test.ends).toHaveLength(3)
    expect(test.server.metrics()).toMatchObject({ unobservedRejections: 7, observedRejections: { value: 3, max: 3 } })
    expect(test.server.gauges.all.find(({ name }) => name === 'rejections_unobserved_total')?.read()).toBe(7)
    expect(test.lines).toEqual([busy])

    for (const end of test.ends.splice(0)) end()
    await until(() => test.lines.length > 1)
    expect(test.lines).toEqual([busy, again(7)])
    await rejectTen(test)
    expect(test.ends).toHaveLength(3)
    expect(test.server.metrics().unobservedRejections).toBe(14)
    await test.close()
  })

  it('observe every call where they finish in time', async () => {
    const test = await openSlowServer()
    for (let round = 1; round <= 10; round++) {
      // oxlint-disable-next-line no-await-in-loop
      await test.reject(1)
      expect(test.ends).toHaveLength(1)
      test.ends.pop()?.()
    }
    expect([test.server.metrics().unobservedRejections, test.lines]).toEqual([0, []])
    await test.close()
  })

  it('no longer count towards the limit after their timeout', async () => {
    const ended: string[] = []
    const server = await createServer({
      name: 'test',
      version: '1',
      logger: pino({ level: 'silent' }),
      controllers: [Vault],
      hooks: [{ onFailed: async () => new Promise(() => ended.push('told')) }],
      limits: { maxInFlight: 1, hookTimeoutMs: 20 },
    })
    await using client = openRawClient(server)
    const call = async () => client.request('tools/call', { name: 'open', arguments: { by: 'me' } })
    await call()
    await call()
    await until(() => server.metrics().unobservedRejections === 1)
    await until(() => server.metrics().observedRejections.value === 0)
    await call()
    await until(() => ended.length === 2)
    expect([ended.length, server.metrics().unobservedRejections]).toEqual([2, 1])
    await server.close()
  })
})
