// A guarded resource or template beside an open template that matches the same URIs.
import { AllowAnonymous, Authorize, McpResource, type McpServer, type Principal, Type } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { lanes } from '@toolwright/testing'
import { pino } from 'pino'
import { openCaller } from '../../support/callers.js'
import { openRawClient, type RawMessage } from '../../support/raw-client.js'

const admin: Principal = { subject: 'root', roles: ['admin'], scopes: [], claims: {} }
const auditor: Principal = { subject: 'eve', roles: ['auditor'], scopes: [], claims: {} }
const both: Principal = { subject: 'ann', roles: ['admin', 'auditor'], scopes: [], claims: {} }
const ada: Principal = { subject: 'ada', roles: [], scopes: [], claims: {} }

const open = { allowAnonymous: true } as const
const forAdmins = { authorize: { roles: ['admin'] } } as const
const forAuditors = { authorize: { roles: ['auditor'] } } as const
const forAll = { authorize: {} } as const

type Access = typeof open | typeof forAdmins | typeof forAuditors | typeof forAll

async function serve(resources: Readonly<Record<string, Access>>, options: Partial<ServerOptions> = {}) {
  const lines: string[] = []
  const logger = pino({}, { write: (line: string) => void lines.push(line) })
  const onReady = ({ catalog }: McpServer): void => {
    for (const [uri, access] of Object.entries(resources)) {
      catalog.addResource({ uri, name: uri, handler: () => `by ${uri}`, ...access })
    }
  }
  const server = await createServer({ name: 'test', version: '1', logger, onReady, ...options })
  return { server, lines }
}

async function read(server: McpServer, uri: string, principal: Principal | null): Promise<string> {
  try {
    const { contents } = await server.readResource(uri, { principal })
    return String((contents[0] as { text?: string } | undefined)?.text)
  } catch (error) {
    return (error as Error).message
  }
}

class Docs {
  @McpResource('docs://{+path}')
  @AllowAnonymous()
  any({ path }: { path: string }): string {
    return `open ${path}`
  }

  @McpResource('docs://{project}/secret')
  @Authorize({ roles: ['admin'] })
  secret({ project }: { project: string }): string {
    return `guarded ${project}`
  }

  @McpResource('docs://free/admin')
  @Authorize({ roles: ['admin'] })
  admin(): string {
    return 'guarded admin'
  }
}

describe.each(lanes)('a guarded template beside an open template: $lane, $era', (lane) => {
  test.each([
    ['docs://shop/secret', 'guarded shop'],
    ['docs://%73hop/secret', 'guarded shop'],
    ['docs://shop%2Fsecret', 'guarded shop'],
    ['docs://free/admin', 'guarded admin'],
  ])('serves %s to authorized callers only', async (uri, text) => {
    const server = await createServer({
      name: 'test',
      version: '1',
      controllers: [Docs],
      logger: pino({ enabled: false }),
    })
    const answers: RawMessage[] = []
    for (const principal of [undefined, ada, admin]) {
      // oxlint-disable-next-line no-await-in-loop
      const caller = await openCaller(server, lane, principal)
      // oxlint-disable-next-line no-await-in-loop
      answers.push(await caller.request('resources/read', { uri }))
      // oxlint-disable-next-line no-await-in-loop
      await caller.close()
    }
    expect(answers[0].error.message).toMatch(/^Unauthorized/)
    expect(answers[1].error.message).toMatch(/^Forbidden/)
    expect(answers[2].result.contents[0].text).toBe(text)
    await server.close()
  })

  test.each([
    'docs://free/./admin',
    'docs://free/x/../admin',
    'docs://free/x%2F..%2Fadmin',
    'docs://free/x%2f%2e%2e/admin',
    'docs://free/%2e%2fadmin',
    'docs://free/x%5C..%5Cadmin',
    'docs://./shop/secret',
    'docs://shop/secret/.',
    'docs://x/../shop/secret',
  ])('does not find %s, which has a dot segment', async (uri) => {
    const server = await createServer({
      name: 'test',
      version: '1',
      controllers: [Docs],
      logger: pino({ enabled: false }),
    })
    const caller = await openCaller(server, lane, undefined)
    expect((await caller.request('resources/read', { uri })).error.message).toBe('Resource not found')
    await caller.close()
    await server.close()
  })
})

describe('resource templates that match the same URI', () => {
  test.each<[string, Record<string, Access>, string, string]>([
    ['a literal before a variable', { 'd://{+p}': open, 'd://{a}/x': forAdmins }, 'd://1/x', 'd://{a}/x'],
    ['a later literal', { 'd://a/{+p}': open, 'd://a/{b}/{c}.md': forAdmins }, 'd://a/1/2.md', 'd://a/{b}/{c}.md'],
    ['a literal within a segment', { 'd://{a}': open, 'd://{a}~{b}': forAdmins }, 'd://1~2', 'd://{a}~{b}'],
    ['a simple before a reserved one', { 'd://{+p}': open, 'd://{a}': forAdmins }, 'd://1', 'd://{a}'],
    ['an extension', { 'd://{a}': open, 'd://{a}{.ext}': forAdmins }, 'd://1.md', 'd://{a}{.ext}'],
    ['a query', { 'd://{a}{?q,r}': open, 'd://{a}': forAdmins }, 'd://1', 'd://{a}'],
    ['the same shape', { 'd://{a}': open, 'd://{b}': forAdmins }, 'd://1', 'd://{b}'],
    [
      'templates of equal specificity',
      { 'd://in-shop/{f}': open, 'd://{p}/secret': forAdmins },
      'd://in-shop/secret',
      'd://{p}/secret',
    ],
  ])('apply the rule of the guarded template: %s', async (_which, resources, uri, expected) => {
    const { server } = await serve(resources)
    expect(await read(server, uri, null)).toMatch(/^Unauthorized/)
    expect(await read(server, uri, ada)).toMatch(/^Forbidden/)
    expect(await read(server, uri, admin)).toBe(`by ${expected}`)
    await server.close()
  })

  test.each<[string, Record<string, Access>, string, string]>([
    ['a fixed URI', { 'd://{+p}': forAdmins, 'd://public': open }, 'd://public', 'd://public'],
    ['a template', { 'd://{+p}': forAdmins, 'd://public/{x}': open }, 'd://public/1', 'd://public/{x}'],
  ])('use a more specific resource without a rule: %s', async (_which, resources, uri, expected) => {
    const { server, lines } = await serve(resources)
    expect(await read(server, uri, null)).toBe(`by ${expected}`)
    expect(await read(server, 'd://other', null)).toMatch(/^Unauthorized/)
    const told = `'${expected}' is open to all callers, but also matches 'd://{+p}', which has an access rule`
    expect(server.explain().overlaps).toEqual([told])
    expect(String(server.explain())).toContain(told)
    expect(lines.join('')).toContain(told)
    await server.close()
  })

  test('require both rules if both templates are guarded and neither is more specific', async () => {
    const { server } = await serve({ 'd://shop/{f}': forAuditors, 'd://{p}/secret': forAdmins })
    expect(await read(server, 'd://shop/secret', admin)).toMatch(/^Forbidden/)
    expect(await read(server, 'd://shop/secret', auditor)).toMatch(/^Forbidden/)
    expect(await read(server, 'd://shop/secret', both)).toBe('by d://shop/{f}')
    expect(await read(server, 'd://shop/other', auditor)).toBe('by d://shop/{f}')
    await server.close()
  })

  test('call the policies of both templates', async () => {
    const asked: string[] = []
    const policy = (name: string, answer: boolean) => (): boolean => {
      asked.push(name)
      return answer
    }
    const { server } = await serve({}, { controllers: [] })
    const handler = () => 'text'
    server.catalog.addResource({ uri: 'd://a/{x}', name: 'a', handler, authorize: { policy: policy('a', true) } })
    server.catalog.addResource({ uri: 'd://{y}/b', name: 'b', handler, authorize: { policy: policy('b', false) } })
    expect(await read(server, 'd://a/b', ada)).toMatch(/^Forbidden/)
    expect(asked).toEqual(['a', 'b'])
    await server.close()
  })

  test('accept subscriptions of authorized callers only', async () => {
    const { server } = await serve({ 'docs://{+path}': open, 'docs://{project}/secret': forAdmins })
    const uri = 'docs://shop/secret'
    await using client = openRawClient(server, ada)
    const listened = await client.modern('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } })
    expect(listened.error.message).toMatch(/^Forbidden/)
    await client.initialize('2025-11-25')
    expect((await client.request('resources/subscribe', { uri })).error.message).toMatch(/^Forbidden/)
    await server.close()
  })

  test('are reported at boot when their rules differ and neither is more specific', async () => {
    const { server, lines } = await serve({ 'd://in-shop/{f}': open, 'd://{p}/secret': forAdmins })
    const told =
      "Some URIs match both 'd://{p}/secret' and 'd://in-shop/{f}', which have different rules. For such a URI, the rule of " +
      "'d://{p}/secret' applies"
    expect(server.explain().overlaps).toEqual([told])
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ level: 40, overlaps: [told], msg: 'resource templates overlap' }),
    )
    await server.close()
  })

  test('are reported when one of them is never used', async () => {
    const { server } = await serve({ 'd://{b}': open, 'd://{a}': open })
    expect(server.explain().overlaps).toEqual(["'d://{b}' is unreachable: 'd://{a}' matches the same URIs. Remove one"])
    await server.close()
  })

  test('are not reported where they share no URI, or where the guarded template is more specific', async () => {
    const { server, lines } = await serve({
      'd://a/{x}': open,
      'd://b/{x}': forAdmins,
      'e://{+p}': open,
      'e://{x}/secret': forAdmins,
      'f://{id}': forAll,
      'f://{id}.md': forAll,
    })
    expect(server.explain().overlaps).toEqual([])
    expect(lines.join('')).not.toContain('overlap')
    await server.close()
  })

  test('complete the variables of the template that serves the URI', async () => {
    const { server } = await serve({ 'd://{+path}': open, 'd://{project}/secret': open })
    server.catalog.addCompletion({ resource: 'd://{project}/secret', argument: 'project', handler: () => ['shop'] })
    await using client = openRawClient(server)
    const ref = { type: 'ref/resource', uri: 'd://s/secret' }
    const { result } = await client.modern('completion/complete', { ref, argument: { name: 'project', value: '' } })
    expect(result.completion.values).toEqual(['shop'])
    await server.close()
  })

  test('with schemas serve the URIs whose variables are valid', async () => {
    const { server } = await serve({ 'd://{name}': open })
    const input = Type.Object({ id: Type.Integer() })
    server.catalog.addResource({ uri: 'd://{id}', name: 'numbers', input, handler: () => 'number', ...forAdmins })
    expect(await read(server, 'd://7', null)).toMatch(/^Unauthorized/)
    expect(await read(server, 'd://x', null)).toBe('by d://{name}')
    await server.close()
  })
})
