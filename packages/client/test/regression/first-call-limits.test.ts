// The first call of a name lists the tools.
import { connect, RequestTimeoutError } from '@toolwright/client'
import { createGate } from '../../../../test/support/gate.js'
import { serveFake } from '../support/fake-server.js'

const legacy = { era: 'legacy' } as const

test('an aborted call sends no request', async () => {
  await using server = await serveFake()
  await using client = await connect(server.url, legacy)
  const signal = AbortSignal.abort(new Error('mine'))
  await expect(client.call('echo', {}, { signal })).rejects.toThrow('mine')
  expect(server.methods).not.toContain('tools/list')
})

test('timeout and signal of a call end its wait for the list of tools', async () => {
  const gate = createGate()
  await using server = await serveFake(({ method }) => (method === 'tools/list' ? gate.opened : undefined))
  await using client = await connect(server.url, legacy)
  const waiting = client.call('echo')
  await expect(client.call('echo', {}, { timeoutMs: 50 })).rejects.toThrow(RequestTimeoutError)
  await expect(client.call('echo', {}, { signal: AbortSignal.timeout(50) })).rejects.toThrow(
    expect.objectContaining({ name: 'TimeoutError' }),
  )
  gate.open()
  expect(await waiting).toBe('echoed')
})

test('calls at once share one request for the list of tools', async () => {
  await using server = await serveFake()
  await using client = await connect(server.url, legacy)
  const results = await Promise.all(Array.from({ length: 20 }, () => client.call('echo')))
  expect(new Set(results)).toStrictEqual(new Set(['echoed']))
  expect(server.methods.filter((method) => method === 'tools/list')).toHaveLength(1)
})

test('a tool can be called although an entry of the list of tools is invalid', async () => {
  const list = { tools: [{ name: 'echo', inputSchema: { type: 'string' } }] }
  await using server = await serveFake(({ method }) => (method === 'tools/list' ? list : undefined))
  await using client = await connect(server.url, legacy)
  expect(await client.call('echo')).toBe('echoed')
  expect(await client.call('other')).toBe('echoed')
  expect(server.methods.filter((method) => method === 'tools/list')).toHaveLength(1)
})
