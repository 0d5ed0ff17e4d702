import { setTimeout as sleep } from 'node:timers/promises'
import { Authorize, McpPrompt, McpResource, McpTool, type Principal } from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
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

/** Log lines of rejected requests, without the members that all lines of a request have. */
async function rejected(
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
  // The line is written after the response.
  await (principal === undefined ? sleep(20) : until(() => lines.length >= sent.length))
  expect(JSON.stringify(lines)).not.toContain(secret)
  return lines.map(({ requestId: _id, method: _method, protocolVersion: _version, ...line }) => line)
}

const ada: Principal = { subject: 'ada', roles: ['User'], scopes: ['vault:list'], claims: { secret } }
const line = { level: 30, subject: 'ada', msg: 'request rejected: the caller may not use this feature' }

describe.each(lanes)('rejected requests in the log, over $lane, $era', (lane) => {
  it('are one line with the caller, the feature and the reason', async () => {
    const { open, room, ask } = requests
    const logged = await rejected({ ...lane, principal: ada }, [open, room, ask])
    expect(logged).toEqual([
      expect.objectContaining({ ...line, kind: 'tool', feature: 'open', reason: 'role' }),
      expect.objectContaining({ ...line, kind: 'resource', feature: 'vault://{room}', missingScopes: ['vault:read'] }),
      expect.objectContaining({ ...line, kind: 'prompt', feature: 'ask', reason: 'policy' }),
    ])
  })
})

it('rejected subscriptions are logged, too', async () => {
  const subscribe: Send = (client) => client.subscribeResource({ uri: `vault://${secret}` })
  const logged = await rejected({ principal: ada, era: 'legacy' }, [subscribe])
  expect(logged).toEqual([
    expect.objectContaining({ ...line, kind: 'resource', feature: 'vault://{room}', missingScopes: ['vault:read'] }),
  ])
})

it('rejected subscriptions of one request are logged in one line', async () => {
  const rooms = Array.from({ length: 100 }, (_, room) => `vault://${secret}-${room}`)
  const listen: Send = (client) => client.listen({ resourceSubscriptions: rooms })
  const logged = await rejected({ principal: ada, era: 'modern' }, [listen, requests.open])
  expect(logged).toEqual([
    expect.objectContaining({ ...line, kind: 'resource', missingScopes: ['vault:read'] }),
    expect.objectContaining({ ...line, kind: 'tool', feature: 'open' }),
  ])
})

it('rejected requests are logged with the true reason, also if the caller gets the error for unknown features', async () => {
  const logged = await rejected({ principal: ada }, [requests.open], { authorization: { hideForbidden: true } })
  expect(logged).toEqual([expect.objectContaining({ ...line, kind: 'tool', feature: 'open', reason: 'role' })])
})

it('rejected requests without credentials are not logged, because they start authentication', async () => {
  expect(await rejected({}, [requests.open, requests.room, requests.ask])).toEqual([])
})

it('rejected requests are logged in short lines, also with long credentials', async () => {
  const [logged] = await rejected({ principal: { ...ada, subject: 'a'.repeat(10_000) } }, [requests.open])
  expect(logged).toMatchObject({ subject: `${'a'.repeat(128)}…` })
})
