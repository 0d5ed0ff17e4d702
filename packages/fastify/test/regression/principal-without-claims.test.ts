// Untyped authenticators can leave out members of the principal.
import type { Principal } from '@toolwright/core'
import { closeApps, connectTo, openApp } from '../../../../test/support/client/index.js'

afterEach(closeApps)

test('a principal without claims is rejected by each request, with its fix in the log', async () => {
  const lines: string[] = []
  const principal = { subject: 'ada', roles: [], scopes: [] } as unknown as Principal
  const app = await openApp({
    authentication: { authenticate: () => principal },
    tools: [{ name: 'echo', handler: () => 'x' }],
    fastify: { logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } } },
  })
  const replies = [
    await connectTo(app, { era: 'legacy' }).initialize('2025-11-25'),
    await connectTo(app, { era: 'legacy' }).call('echo'),
    await connectTo(app).call('echo'),
  ]
  expect(replies.map(({ status }) => status)).toEqual([500, 500, 500])
  const messages = lines.map((line) => JSON.parse(line).err.message)
  expect(new Set(messages)).toEqual(new Set(['the claims of the caller are undefined. Give an object']))
})
