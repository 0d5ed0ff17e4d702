// A guarded resource beside an open template that would match other spellings of its URI.
import { type McpServer, type Principal } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { lanes } from '@toolwright/testing'
import { pino } from 'pino'
import { sendsHostileRequests } from '../../../../test/support/frames/frames.js'
import { openCaller } from '../support/callers.js'
import { openRawClient, type RawMessage } from '../support/raw-client.js'

const admin: Principal = { subject: 'root', roles: ['Admin'], scopes: [], claims: {} }
const ada: Principal = { subject: 'ada', roles: [], scopes: [], claims: {} }
const settled = () => new Promise((resolve) => setImmediate(resolve))

async function serve(options: Partial<ServerOptions> = {}): Promise<McpServer> {
  const server = await createServer({
    name: 'test',
    version: '1',
    logger: pino({ enabled: false }),
    controllers: [],
    ...options,
  })
  const { catalog } = server
  const guarded = { authorize: { roles: ['Admin'] } }
  const open = { allowAnonymous: true }
  const handler = (kind: string) => (variables: object) => `${kind} ${JSON.stringify(variables)}`
  catalog.addResource({ uri: 'docs://admin/{id}', name: 'admin', handler: handler('guarded'), ...guarded })
  catalog.addResource({ uri: 'docs://a b/{id}', name: 'blank', handler: handler('guarded'), ...guarded })
  catalog.addResource({ uri: 'docs://{+path}', name: 'docs', handler: handler('open'), ...open })
  catalog.addResource({ uri: 'notes://secret', name: 'secret', handler: handler('guarded'), ...guarded })
  catalog.addResource({ uri: 'notes://caf%c3%a9', name: 'café', handler: handler('guarded'), ...guarded })
  catalog.addResource({ uri: 'notes://{id}', name: 'note', handler: handler('open'), ...open })
  return server
}

const spellings = [
  ['docs://admin/1', 'docs://%61dmin/1'],
  ['docs://admin/1', 'docs://admin%2f1'],
  ['docs://admin/1', 'docs://%61dmin%2F%31'],
  ['docs://admin/%25', 'docs://admin%2f%25'],
  ['docs://a b/1', 'docs://a%20b/1'],
  ['docs://a b/1', 'docs://%61%20b%2f1'],
  ['notes://secret', 'notes://%73ecret'],
  ['notes://secret', 'notes://secre%74'],
  ['notes://caf%c3%a9', 'notes://caf%C3%A9'],
] as const

const withoutUri = (message: RawMessage): unknown =>
  JSON.parse(JSON.stringify(message).replaceAll(/(docs|notes):[^"]*/g, 'URI'))

describe.each(lanes)('another spelling of a guarded URI: $lane, $era', (lane) => {
  it.each([{ hideForbidden: false }, { hideForbidden: true }])(
    'is rejected like the usual spelling: %j',
    async (authorization) => {
      const server = await serve({ authorization })
      const client = await openCaller(server, lane, ada)
      for (const [usual, other] of spellings) {
        // oxlint-disable-next-line no-await-in-loop
        const [expected, answer] = [
          await client.request('resources/read', { uri: usual }),
          await client.request('resources/read', { uri: other }),
        ]
        expect(expected.error).toBeDefined()
        expect(withoutUri({ ...answer, id: 0 })).toEqual(withoutUri({ ...expected, id: 0 }))
      }
      await client.close()
      await server.close()
    },
  )
})

describe('another spelling of a guarded URI', () => {
  it('is served by the handler of the guarded resource, to callers who may read it', async () => {
    const server = await serve()
    await using client = openRawClient(server, admin)
    for (const [, uri] of spellings) {
      // oxlint-disable-next-line no-await-in-loop
      const { result } = await client.modern('resources/read', { uri })
      expect(result.contents).toEqual([{ uri, mimeType: 'text/plain', text: expect.stringMatching(/^guarded/) }])
    }
    await server.close()
  })

  it('can contain characters that are invalid in URIs', async () => {
    sendsHostileRequests()
    const server = await serve()
    await using client = openRawClient(server, ada)
    for (const uri of ['notes://café', 'docs://caf\u00e9', 'docs://a b/1']) {
      // oxlint-disable-next-line no-await-in-loop
      const { error } = await client.modern('resources/read', { uri })
      expect(error?.message).toBe(uri.startsWith('docs://c') ? undefined : 'Forbidden: you are not allowed to use this')
    }
    await server.close()
  })

  it('does not include URIs of other resources, which the open template serves', async () => {
    const server = await serve()
    await using client = openRawClient(server)
    const read = async (uri: string): Promise<string> => {
      const { result, error } = await client.modern('resources/read', { uri })
      return error?.message ?? result.contents[0].text
    }
    expect(await read('docs://b%2fc')).toBe('open {"path":"b/c"}')
    expect(await read('docs://%2561dmin/1')).toBe('open {"path":"%61dmin/1"}')
    expect(await read('docs://admin%252f1')).toBe('open {"path":"admin%2f1"}')
    expect(await read('notes://a%20b%c3%a9')).toBe('open {"id":"a bé"}')
    expect(await read('notes://%%37%33ecret')).toMatch(/not found/)
    await server.close()
  })

  it('reaches policies in its normalized form', async () => {
    const server = await serve()
    const seen: string[] = []
    const policy = ({ feature, arguments: { id } }: { feature: { name: string }; arguments: { id: string } }) => {
      seen.push(`${feature.name} ${id}`)
      return false
    }
    server.catalog.addResource({ uri: 'homes://{id}', name: 'home', handler: () => 'home', authorize: { policy } })
    await using client = openRawClient(server, ada)
    await client.modern('resources/read', { uri: 'homes://%61d%61' })
    void client.modern('subscriptions/listen', { notifications: { resourceSubscriptions: ['homes://%62'] } })
    await settled()
    expect(seen).toEqual(['homes://ada ada', 'homes://b b'])
    await server.close()
  })

  it.each(spellings)('does not let %s subscribe: %s', async (_usual, uri) => {
    const server = await serve()
    await using client = openRawClient(server, ada)
    const { error } = await client.modern('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } })
    expect(error.message).toMatch(/^Forbidden/)
    await client.initialize('2025-11-25')
    expect((await client.request('resources/subscribe', { uri })).error.message).toMatch(/^Forbidden/)
    await server.close()
  })

  it('notifies only callers who may read the resource, where every subscription is accepted', async () => {
    const server = await serve({ authorization: { hideForbidden: true } })
    await using client = openRawClient(server, ada)
    const uris = [...spellings.map(([, uri]) => uri), 'notes://open']
    void client.modern('subscriptions/listen', { notifications: { resourceSubscriptions: uris } })
    await client.next()
    for (const uri of uris) server.changes.resourceUpdated(uri)
    expect((await client.next()).params.uri).toBe('notes://open')
    await server.close()
  })

  it('cannot be added as a resource', async () => {
    const server = await serve()
    const add = (uri: string) => () => server.catalog.addResource({ uri, name: 'other', handler: () => '' })
    expect(add('notes://%73ecret')).toThrow(/'notes:\/\/%73ecret' is already registered, in another spelling/)
    await using client = openRawClient(server, ada)
    expect((await client.modern('resources/read', { uri: 'notes://secret' })).error.message).toMatch(/^Forbidden/)
    server.catalog.removeResource('notes://secret')
    add('notes://%73ecret')()
    expect((await client.modern('resources/read', { uri: 'notes://secret' })).result.contents).toHaveLength(1)
    await server.close()
  })

  it('has the completions of the usual spelling', async () => {
    const server = await serve()
    server.catalog.addCompletion({ resource: 'docs://admin/{id}', argument: 'id', handler: () => ['1'] })
    await using client = openRawClient(server, admin)
    const ref = { type: 'ref/resource', uri: 'docs://%61dmin/1' }
    const { result } = await client.modern('completion/complete', { ref, argument: { name: 'id', value: '' } })
    expect(result.completion.values).toEqual(['1'])
    await server.close()
  })
})
