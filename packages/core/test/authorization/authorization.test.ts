import {
  AllowAnonymous,
  Authorize,
  type CompletionRequest,
  McpCompletion,
  McpPrompt,
  McpResource,
  type McpServer,
  McpTool,
  type Principal,
  Type,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { lanes } from '@toolwright/testing'
import { pino } from 'pino'
import { type Caller, openCaller } from '../support/callers.js'
import { openRawClient, type RawMessage } from '../support/raw-client.js'

type Class = NonNullable<ServerOptions['controllers']>[number]
type Decorate = (target: Class) => void

/** The rules of each class. */
const rules: Record<string, readonly Decorate[]> = {
  open: [AllowAnonymous()],
  known: [],
  admin: [Authorize({ roles: ['Admin', 'Owner'] })],
  writer: [Authorize({ scopes: ['files:write'] })],
  both: [Authorize({ roles: ['Admin'] }), Authorize({ scopes: ['files:write', 'files:read'] })],
  tenant: [Authorize({ policy: ({ principal }) => principal?.claims['tenant'] === 'acme' })],
}

const ruleNames = Object.keys(rules)

function featuresWith(rule: string, decorators: readonly Decorate[]): Class {
  class Features {
    @McpTool(`${rule}_tool`)
    tool(): string {
      return rule
    }

    @McpPrompt(`${rule}_prompt`, { input: Type.Object({ who: Type.String() }) })
    prompt(): string {
      return rule
    }

    @McpResource(`files://${rule}`)
    resource(): string {
      return rule
    }

    @McpResource(`docs://${rule}/{id}`)
    template(_variables: { id: string }): string {
      return rule
    }

    @McpCompletion({ prompt: `${rule}_prompt`, argument: 'who' })
    complete(_request: CompletionRequest): string[] {
      return [rule]
    }
  }
  for (const decorate of decorators) decorate(Features)
  return Features
}

function who(subject: string, has: Partial<Principal>): Principal {
  return { subject, roles: [], scopes: [], claims: {}, ...has }
}

const callers: Record<string, Principal | undefined> = {
  anonymous: undefined,
  ada: who('ada', {}),
  admin: who('root', { roles: ['aDMIN'] }),
  writer: who('will', { roles: ['Writer'], scopes: ['files:write'] }),
  all: who('omni', { roles: ['Admin'], scopes: ['files:read', 'files:write'] }),
  acme: who('carl', { claims: { tenant: 'acme' } }),
}

const silent = pino({ enabled: false })

async function serve(options: Partial<ServerOptions> = {}): Promise<McpServer> {
  const controllers = ruleNames.map((rule) => featuresWith(rule, rules[rule] ?? []))
  return createServer({ name: 'test', version: '1', logger: silent, controllers, ...options })
}

const unauthorized = { code: -32600, message: 'Unauthorized: authenticate first' }
const forbidden = { code: -32600, message: 'Forbidden: you are not allowed to use this' }

function lacking(...scopes: string[]): object {
  return { code: -32600, message: `Forbidden: requires the scope ${scopes.join(' and ')}` }
}

/** The result of a feature for a caller: `true`, or the error. */
const outcomes: Record<string, Record<string, true | object>> = {
  anonymous: {
    open: true,
    known: unauthorized,
    admin: unauthorized,
    writer: unauthorized,
    both: unauthorized,
    tenant: unauthorized,
  },
  ada: {
    open: true,
    known: true,
    admin: forbidden,
    writer: lacking('files:write'),
    both: forbidden,
    tenant: forbidden,
  },
  admin: {
    open: true,
    known: true,
    admin: true,
    writer: lacking('files:write'),
    both: lacking('files:write', 'files:read'),
    tenant: forbidden,
  },
  writer: { open: true, known: true, admin: forbidden, writer: true, both: forbidden, tenant: forbidden },
  all: { open: true, known: true, admin: true, writer: true, both: true, tenant: forbidden },
  acme: { open: true, known: true, admin: forbidden, writer: lacking('files:write'), both: forbidden, tenant: true },
}

/**
 * The classes that lists show to a caller: a feature with a missing scope is listed, because the client can request the
 * scope. A feature with a missing role is not.
 */
const visible: Record<string, readonly string[]> = {
  anonymous: ['open'],
  ada: ['known', 'open', 'tenant', 'writer'],
  admin: ['admin', 'both', 'known', 'open', 'tenant', 'writer'],
  writer: ['known', 'open', 'tenant', 'writer'],
  all: ['admin', 'both', 'known', 'open', 'tenant', 'writer'],
  acme: ['known', 'open', 'tenant', 'writer'],
}

const requests: Record<string, (rule: string) => [method: string, params: object]> = {
  tool: (rule) => ['tools/call', { name: `${rule}_tool` }],
  prompt: (rule) => ['prompts/get', { name: `${rule}_prompt`, arguments: { who: 'x' } }],
  resource: (rule) => ['resources/read', { uri: `files://${rule}` }],
  template: (rule) => ['resources/read', { uri: `docs://${rule}/7` }],
  completion: (rule) => [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: `${rule}_prompt` }, argument: { name: 'who', value: '' } },
  ],
}

const kinds = Object.keys(requests)
const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']

const situations = lanes.flatMap((lane) => Object.keys(callers).map((caller) => ({ ...lane, caller })))

describe.each(situations)('authorization over $lane, $era, as $caller', ({ lane, era, caller }) => {
  const opened: { close(): Promise<void> }[] = []
  let client: Caller
  let clientOfHidden: Caller

  const open = async (options: Partial<ServerOptions> = {}): Promise<Caller> => {
    const server = await serve(options)
    const own = await openCaller(server, { lane, era }, callers[caller])
    opened.push(own, server)
    return own
  }

  beforeAll(async () => {
    client = await open()
    clientOfHidden = await open({ authorization: { hideForbidden: true } })
  })

  afterAll(async () => {
    // In order: each server closes when its last client has left.
    // oxlint-disable-next-line no-await-in-loop
    for (const each of opened) await each.close()
  })

  const ask = async (method: string, params: object = {}): Promise<RawMessage> => client.request(method, params)
  const askHidden = async (method: string, params: object = {}): Promise<RawMessage> =>
    clientOfHidden.request(method, params)

  it.each(kinds.flatMap((kind) => ruleNames.map((rule) => ({ kind, rule }))))(
    'returns the result or the error for the $kind with the rule $rule',
    async ({ kind, rule }) => {
      const expected = outcomes[caller]?.[rule]
      const [method, params] = requests[kind]?.(rule) ?? ['', {}]
      const { result, error, status } = await ask(method, params)
      const isUnknown = kind === 'completion' && !visible[caller]?.includes(rule)
      const unknown = { code: -32602, message: `Unknown prompt: ${rule}_prompt` }
      const rejected = isUnknown ? unknown : expected
      expect({ isServed: JSON.stringify(result)?.includes(`"${rule}"`), error }).toEqual(
        expected === true ? { isServed: true } : { error: rejected },
      )
      const statuses = new Map<unknown, number>([
        [true, 200],
        [unknown, 200],
        [unauthorized, 401],
      ])
      expect(status).toBe(lane === 'http' ? (statuses.get(rejected) ?? 403) : undefined)
    },
  )

  it.each(kinds)('matches the name of a %s case-sensitively, also in suggestions', async (kind) => {
    const [method, params] = requests[kind]?.('ADMIN') ?? ['', {}]
    const { error } = await ask(method, params)
    expect([-32602, -32002]).toContain(error.code)
    const mayBeTold = visible[caller]?.includes('admin') === true && error.message.startsWith('Unknown')
    expect(JSON.stringify(error).includes('admin')).toBe(mayBeTold)
  })

  it.each(lists)('lists in %s exactly the features that the caller may use', async (method) => {
    const { result } = await ask(method)
    const entries: readonly RawMessage[] = result[Object.keys(result).find((key) => Array.isArray(result[key])) ?? '']
    const names = entries.map(({ uriTemplate, uri, name }) => uriTemplate ?? uri ?? name)
    expect(names.map((name) => /open|known|admin|writer|both|tenant/.exec(name)?.[0])).toEqual(visible[caller])
    expect(result.cacheScope).toBe(era === 'modern' ? 'private' : undefined)
  })

  it('suggests no name that the caller may not use', async () => {
    const near = await Promise.all(ruleNames.map(async (rule) => ask('tools/call', { name: `${rule}_too` })))
    expect(near.flatMap(({ error }) => (error.data?.suggestions ?? []) as string[]).toSorted()).toEqual(
      (visible[caller] ?? []).map((rule) => `${rule}_tool`),
    )
    const prompts = await Promise.all(ruleNames.map(async (rule) => ask('prompts/get', { name: `${rule}_promp` })))
    expect(prompts.flatMap(({ error }) => (error.data?.suggestions ?? []) as string[]).toSorted()).toEqual(
      (visible[caller] ?? []).map((rule) => `${rule}_prompt`),
    )
  })

  it.each(kinds)('with hideForbidden, answers for a forbidden %s as for an unknown name', async (kind) => {
    const rejected = ruleNames.filter((rule) => outcomes[caller]?.[rule] !== true)
    const answers = await Promise.all(
      rejected.map(async (rule) => {
        const [method, params] = requests[kind]?.(rule) ?? ['', {}]
        return { rule, answer: await askHidden(method, params) }
      }),
    )
    const [method, params] = requests[kind]?.('nowhere') ?? ['', {}]
    const unknown = JSON.stringify(await askHidden(method, params)).replace(/"id":\d+/, '')
    // Policies decide on each call, so guarded features are listed. Their completions are just empty.
    const isEmpty = (rule: string): boolean => kind === 'completion' && rule === 'tenant' && caller !== 'anonymous'
    const nothing = { values: [], total: 0, hasMore: false }
    expect(answers.filter(({ rule }) => isEmpty(rule)).map(({ answer }) => answer.result.completion)).toEqual(
      rejected.filter(isEmpty).map(() => nothing),
    )
    const rest = answers.filter(({ rule }) => !isEmpty(rule))
    expect(
      rest.map(({ rule, answer }) =>
        JSON.stringify(answer)
          .replace(/"id":\d+/, '')
          .replaceAll(new RegExp(`\\b${rule}`, 'g'), 'nowhere'),
      ),
    ).toEqual(rest.map(() => unknown))
  })

  it('with hideForbidden, omits features with a missing scope from lists', async () => {
    const { result } = await askHidden('tools/list')
    const names = (result.tools as readonly RawMessage[]).map(({ name }) => name.replace('_tool', ''))
    const expected = ruleNames.filter((rule) => {
      if (rule === 'tenant') return caller !== 'anonymous'
      return outcomes[caller]?.[rule] === true
    })
    expect(names).toEqual(expected.toSorted())
  })
})

test('the server marks lists and contents as private as soon as a feature with a rule is added', async () => {
  const cache = { ttlMs: 7000, cacheScope: 'public' } as const
  const server = await createServer({
    name: 'shared',
    version: '1',
    controllers: [],
    logger: silent,
    cache,
    authorization: {},
  })
  const { catalog } = server
  const handler = (): string => 'served'
  const addAll = (name: string, allow: object): void => {
    catalog.addTool({ name, handler, ...allow })
    catalog.addPrompt({ name, handler, ...allow })
    catalog.addResource({ uri: `files://${name}`, name, handler, ...allow })
    catalog.addResource({ uri: `docs://${name}/{id}`, name, handler, ...allow })
  }
  const scopes = async (): Promise<unknown[]> => {
    await using client = openRawClient(server)
    const asked = [
      client.modern('tools/list', {}),
      client.modern('tools/list/openai', {}),
      client.modern('prompts/list', {}),
      client.modern('resources/list', {}),
      client.modern('resources/templates/list', {}),
      client.modern('resources/read', { uri: 'files://open' }),
    ]
    return (await Promise.all(asked)).map(({ result }) => result.cacheScope)
  }

  addAll('open', { allowAnonymous: true })
  expect(await scopes()).toEqual(Array(6).fill('public'))
  addAll('writers', { authorize: { scopes: ['files:write'] } })
  expect(await scopes()).toEqual(Array(6).fill('private'))
  await server.close()
})
