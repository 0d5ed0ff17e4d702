import {
  AllowAnonymous,
  type AuthorizationRequest,
  Authorize,
  injectable,
  Lifecycle,
  McpTool,
  type PolicyClass,
  scoped,
} from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { findDiagnostics, findMistakes } from './find-problems.js'

class Contradicting {
  @McpTool()
  @Authorize()
  @AllowAnonymous()
  both(): void {}
}

@AllowAnonymous()
@Authorize({ roles: ['Admin'] })
class ContradictingClass {
  @McpTool()
  both(): void {}
}

class Unserved {
  @McpTool()
  served(): void {}

  @Authorize({ roles: ['Admin'] })
  forgotten(): void {}
}

class OddOptions {
  @McpTool()
  @Authorize({ role: 'Admin' } as never)
  unknownOption(): void {}

  @McpTool()
  @Authorize({ roles: [] })
  noRole(): void {}

  @McpTool()
  @Authorize({ roles: ['Admin', ' '] })
  emptyRole(): void {}

  @McpTool()
  @Authorize({ roles: 'Admin' as never })
  noArray(): void {}

  @McpTool()
  @Authorize({ scopes: ['tools:write tools:read'] })
  twoScopesInOne(): void {}

  @McpTool()
  @Authorize({ policy: undefined as never })
  noPolicy(): void {}

  @McpTool()
  @Authorize({ policy: { allows: () => true } as never })
  instance(): void {}

  @McpTool()
  @Authorize({ policy: class Empty {} as unknown as PolicyClass })
  emptyClass(): void {}

  @McpTool()
  @Authorize(null as never)
  nothing(): void {}
}

interface Directory {
  find(): boolean
}

@injectable()
class DirectoryPolicy {
  constructor(private readonly directory: Directory) {}

  allows(): boolean {
    return this.directory.find()
  }
}

@scoped(Lifecycle.ContainerScoped)
class CallPolicy {
  allows(_request: AuthorizationRequest): boolean {
    return true
  }
}

class Thrower {
  constructor() {
    throw new Error('no database')
  }

  allows(): boolean {
    return true
  }
}

class Destroyer {
  @McpTool({ annotations: { destructiveHint: true } })
  @AllowAnonymous()
  dropAll(): void {}

  @McpTool({ annotations: { destructiveHint: true } })
  guarded(): void {}

  @McpTool({ annotations: { destructiveHint: false } })
  @AllowAnonymous()
  harmless(): void {}
}

class Plain {
  @McpTool({ annotations: { destructiveHint: true } })
  remove(): void {}
}

test('@Authorize together with @AllowAnonymous is reported, on a method and on a class', async () => {
  expect(await findMistakes(Contradicting, ContradictingClass)).toEqual([
    'bad-authorization: Contradicting.both: it has both @Authorize and @AllowAnonymous, which contradict each other. ' +
      'Remove one.',
    'bad-authorization: ContradictingClass: it has both @Authorize and @AllowAnonymous, which contradict each other. ' +
      'Remove one.',
    "duplicate-name: Tool 'both' is declared by both Contradicting.both and ContradictingClass.both. Rename one.",
  ])
})

test('a rule on a method that is not a feature is reported, because it would have no effect', async () => {
  expect(await findMistakes(Unserved)).toEqual([
    'bad-authorization: Unserved.forgotten: it has @Authorize or @AllowAnonymous, but is not a feature. Remove that ' +
      'decorator, or add one of @McpTool, @McpPrompt, @McpResource, @McpCompletion.',
  ])
})

test('options that would admit every caller or none are reported', async () => {
  expect(await findMistakes(OddOptions)).toEqual(
    [
      "unknownOption: @Authorize has no option 'role'. Did you mean roles?",
      'noRole: roles is empty. Name at least one, or leave roles out.',
      "emptyRole: roles has the string ' ' in it. Give a name.",
      "noArray: roles is the string 'Admin'. Give an array of strings.",
      "twoScopesInOne: scopes has the string 'tools:write tools:read' in it. Give printable ASCII without spaces, \" and \\.",
      'noPolicy: policy is undefined when the class is defined. Give a value, or leave it out.',
      "instance: policy is a plain object. Give a function, or a class with a method 'allows'.",
      "emptyClass: policy is the class Empty, which has no method 'allows'. Add the method.",
      "nothing: its authorization is null. Give an object, such as { roles: ['Admin'] }.",
    ].map((diagnostic) => `bad-authorization: OddOptions.${diagnostic}`),
  )
})

test('options that @Authorize and @AllowAnonymous ignore are reported', async () => {
  const authorize = Authorize as (...args: unknown[]) => MethodDecorator
  const allowAnonymous = AllowAnonymous as (...args: object[]) => MethodDecorator

  class Tools {
    @McpTool()
    @authorize({ roles: ['Admin'] }, { scopes: ['tools:write'] })
    both(): void {}

    @McpTool()
    @authorize({ roles: ['Admin'] }, { kind: 'x', name: 'y' })
    kind(): void {}

    @McpTool()
    @authorize({ roles: ['Admin'] }, { kind: 'method' })
    methodKind(): void {}

    @McpTool()
    @authorize({ roles: ['Admin'] }, 'tools:write')
    text(): void {}

    @McpTool()
    @authorize(['Admin'], 'Editor')
    list(): void {}

    @McpTool()
    @allowAnonymous({ roles: ['Admin'] })
    options(): void {}

    @McpTool()
    @allowAnonymous(DirectoryPolicy)
    aClass(): void {}
  }

  const surplus = 'Remove that argument.'
  expect(await findMistakes(Tools)).toEqual([
    `bad-authorization: Tools.both: @Authorize takes one object, but was given a plain object as well. ${surplus}`,
    `bad-authorization: Tools.kind: @Authorize takes one object, but was given a plain object as well. ${surplus}`,
    `bad-authorization: Tools.methodKind: @Authorize takes one object, but was given a plain object as well. ${surplus}`,
    `bad-authorization: Tools.text: @Authorize takes one object, but was given the string 'tools:write' as well. ${surplus}`,
    `bad-authorization: Tools.list: @Authorize takes one object, but was given the string 'Editor' as well. ${surplus}`,
    `bad-authorization: Tools.options: @AllowAnonymous takes no options, but was given a plain object. ${surplus}`,
    'bad-authorization: Tools.aClass: @AllowAnonymous takes no options, but was given the class DirectoryPolicy. ' +
      surplus,
    "bad-authorization: Tools.list: @Authorize has no option '0'. Give one of policy, roles, scopes.",
  ])
})

test('a policy that cannot be created is reported', async () => {
  class Guarded {
    @McpTool()
    @Authorize({ policy: DirectoryPolicy })
    directory(): void {}

    @McpTool()
    @Authorize({ policy: CallPolicy })
    perCall(): void {}
  }
  expect(await findMistakes(Guarded)).toEqual([
    'unresolvable-token: The constructor of DirectoryPolicy, parameter 1: its type is Object at run time, which cannot be ' +
      'injected. An interface, a union or an object type needs @Inject(token). A class needs a value import: write ' +
      '`import`, not `import type`.',
    'bad-authorization: CallPolicy: a policy is created once, at boot, but this one depends on an instance that is created ' +
      "for each call. Take the principal, the arguments and the context from the parameter of 'allows'.",
  ])
})

test('a policy whose constructor throws is reported', async () => {
  class Guarded {
    @McpTool()
    @Authorize({ policy: Thrower })
    call(): void {}
  }
  expect(await findMistakes(Guarded)).toEqual([
    'constructor-failed: Thrower could not be created at boot, because its constructor threw: no database',
  ])
})

test('a destructive tool needs a rule or a waiver, on servers with authorization', async () => {
  const diagnostic =
    "unguarded-destructive-tool: Destroyer.dropAll: the tool 'drop_all' has destructiveHint: true, and all callers may call " +
    'it, even without authentication. Put @Authorize() on it, or list it in authorization: ' +
    "{ allowAnonymousDestructive: ['drop_all'] }."
  expect(await findMistakes(Destroyer)).toEqual([diagnostic])
  const authorization = { allowAnonymousDestructive: ['drop_all'] }
  expect(await findDiagnostics({ controllers: [Destroyer], authorization })).toEqual([])
  expect(await findMistakes(Plain)).toEqual([])
  const open = await findDiagnostics({ controllers: [Plain], authorization: { default: 'anonymous' } })
  expect(open).toHaveLength(1)
})

test('a public cache scope is reported for lists that differ by caller', async () => {
  const cache = { cacheScope: 'public' } as const
  expect(await findDiagnostics({ controllers: [Unguarded], cache })).toEqual([])
  expect(await findDiagnostics({ controllers: [Unguarded], cache, authorization: {} })).toEqual([
    "shared-private-lists: cache.cacheScope is 'public', but callers see different lists here: a shared cache would send " +
      'the list of one caller to another. Leave out cache.cacheScope, or put @AllowAnonymous() on all features and ' +
      'remove `enabled` functions.',
  ])
})

test('authorization options of the host are checked', async () => {
  const authorization = {
    default: 'everybody',
    hideForbiden: true,
    hideForbidden: 'yes',
    impliedScopes: { admin: 'write' },
    allowAnonymousDestructive: 'drop_all',
    policyTimeoutMs: 0,
  }
  expect(await findDiagnostics({ controllers: [Unguarded], authorization: authorization as never })).toEqual(
    [
      'authorization.hideForbiden is not an option. Did you mean hideForbidden?',
      "authorization.default is the string 'everybody'. Give 'authenticated' or 'anonymous'.",
      "authorization.hideForbidden is the string 'yes'. Give true or false.",
      "authorization.impliedScopes['admin'] is the string 'write'. Give an array of scopes.",
      "authorization.allowAnonymousDestructive is the string 'drop_all'. Give an array of names of tools.",
      'authorization.policyTimeoutMs is 0. Give a whole number from 1 to 2147483647.',
    ].map((diagnostic) => `bad-option: ${diagnostic}`),
  )
})

class Unguarded {
  @McpTool()
  call(): void {}
}

test('features added at run time are checked in the same way, and invalid ones are not added', async () => {
  const server = await createServer({
    name: 'test',
    version: '1',
    logger: pino({ enabled: false }),
    controllers: [Unguarded],
    authorization: {},
  })
  const { catalog } = server
  const handler = (): string => 'done'
  const bad = [
    { authorize: { role: 'Admin' } as never },
    { authorize: undefined as never },
    { authorize: {}, allowAnonymous: true },
    { authorize: { policy: Thrower } },
    { allowAnonymous: true, annotations: { destructiveHint: true } },
  ]
  for (const options of bad) {
    expect(() => catalog.addTool({ name: 'added', handler, ...options })).toThrow('cannot be added: 1 problem')
  }
  expect(catalog.tools.all.map(({ name }) => name)).toEqual(['call'])
  catalog.addTool({ name: 'added', handler, authorize: { roles: ['Admin'] } })
  expect(String(server.authorizationMatrix({ roles: ['Admin'] }))).toBe(
    [
      '  kind  feature  anonymous  authenticated  Admin',
      '  tool  added    hidden     hidden         callable',
      '  tool  call     hidden     callable       callable',
    ].join('\n'),
  )
  await server.close()
})
