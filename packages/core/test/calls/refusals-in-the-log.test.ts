import { setTimeout as sleep } from 'node:timers/promises'
import { Authorize, McpPrompt, McpResource, McpTool, type Principal, type ServerOptions } from '@toolwright/core'
import { type ConnectOptions, connect, lanes, type TestConnection } from '@toolwright/testing'
import { pino } from 'pino'
import { until } from '../../../../test/support/until.js'

const secret = 'arguments-are-nobodys-business'

class Vault {
  @Authorize({ roles: ['Admin'] })
  @McpTool({ description: 'Open' })
  open(): string {
    return 'open'
  }

  @Authorize({ scopes: ['vault:read', 'vault:list'] })
  @McpResource('vault://{room}')
  room(): string {
    return 'gold'
  }

  @Authorize({ policy: () => false })
  @McpPrompt()
  ask(): string {
    return 'Open.'
  }
}

interface Line {
  readonly msg: string
  readonly [field: string]: unknown
}

type Send = (client: TestConnection['client']) => Promise<unknown>

const requests: Readonly<Record<'open' | 'room' | 'ask', Send>> = {
  open: (client) => client.callTool({ name: 'open', arguments: { secret } }),
  room: (client) => client.readResource({ uri: `vault://${secret}` }),
  ask: (client) => client.getPrompt({ name: 'ask' }),
}

/** What the log says of requests that are refused, without what all lines of a request have. */
async function refused(
  { principal, ...lane }: ConnectOptions,
  sent: readonly Send[],
  options: Partial<ServerOptions> = {},
): Promise<readonly object[]> {
  const lines: Line[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Line) }
  const logger = pino({ base: null, timestamp: false }, stream)
  await using connection = await connect(
    { name: 'test', version: '1', controllers: [Vault], logger, ...options },
    { ...lane, ...(principal === undefined ? {} : { principal }) },
  )
  for (const send of sent) {
    // oxlint-disable-next-line no-await-in-loop
    await expect(send(connection.client)).rejects.toBeInstanceOf(Error)
  }
  // It is written after the answer.
  await (principal === undefined ? sleep(20) : until(() => lines.length >= sent.length))
  expect(JSON.stringify(lines)).not.toContain(secret)
  return lines.map(({ requestId: _id, method: _method, protocolVersion: _version, ...line }) => line)
}

const ada: Principal = { subject: 'ada', roles: ['User'], scopes: ['vault:list'], claims: { secret } }
const line = { level: 30, subject: 'ada', msg: 'request refused: its caller may not use this' }

describe.each(lanes)('over $lane, $era', (lane) => {
  it('a refused request is one line that says who, what and why', async () => {
    const { open, room, ask } = requests
    const logged = await refused({ ...lane, principal: ada }, [open, room, ask])
    expect(logged).toEqual([
      expect.objectContaining({ ...line, kind: 'tool', feature: 'open', reason: 'role' }),
      expect.objectContaining({ ...line, kind: 'resource', feature: 'vault://{room}', missingScopes: ['vault:read'] }),
      expect.objectContaining({ ...line, kind: 'prompt', feature: 'ask', reason: 'policy' }),
    ])
  })
})

it('a subscription that is refused is a line too', async () => {
  const subscribe: Send = (client) => client.subscribeResource({ uri: `vault://${secret}` })
  const logged = await refused({ principal: ada, era: 'legacy' }, [subscribe])
  expect(logged).toEqual([
    expect.objectContaining({ ...line, kind: 'resource', feature: 'vault://{room}', missingScopes: ['vault:read'] }),
  ])
})

it('a request is one line, however many subscriptions it asks for', async () => {
  const rooms = Array.from({ length: 100 }, (_, room) => `vault://${secret}-${room}`)
  const listen: Send = (client) => client.listen({ resourceSubscriptions: rooms })
  const logged = await refused({ principal: ada, era: 'modern' }, [listen, requests.open])
  expect(logged).toEqual([
    expect.objectContaining({ ...line, kind: 'resource', missingScopes: ['vault:read'] }),
    expect.objectContaining({ ...line, kind: 'tool', feature: 'open' }),
  ])
})

it('says so too where the caller is told that there is no such thing', async () => {
  const logged = await refused({ principal: ada }, [requests.open], { authorization: { hideForbidden: true } })
  expect(logged).toEqual([expect.objectContaining({ ...line, kind: 'tool', feature: 'open', reason: 'role' })])
})

it('says nothing of callers without credentials, who learn by such a request where to get some', async () => {
  expect(await refused({}, [requests.open, requests.room, requests.ask])).toEqual([])
})

it('keeps a line short, whatever the credentials say', async () => {
  const [logged] = await refused({ principal: { ...ada, subject: 'a'.repeat(10_000) } }, [requests.open])
  expect(logged).toMatchObject({ subject: `${'a'.repeat(128)}…` })
})
