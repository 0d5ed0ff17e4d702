import { McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect } from '@toolwright/testing'
import { findDiagnostics } from './find-problems.js'

class Tools {
  @McpTool()
  add(): string {
    return ''
  }
}

function findWrong(options: object): Promise<readonly string[]> {
  return findDiagnostics({ controllers: [Tools], ...options })
}

it('a missing Jest environment is named where tests run in a browser environment', async () => {
  const { setImmediate: ofNode } = globalThis
  try {
    Reflect.deleteProperty(globalThis, 'setImmediate')
    expect(await findWrong({})).toEqual([
      "not-node: The global setImmediate is missing, so this is not plain Node. Configure your test runner with `testEnvironment: 'node'`.",
    ])
  } finally {
    globalThis.setImmediate = ofNode
  }
})

describe('server options', () => {
  it.each([createServer, connect])('of %p must be an object, not a list of classes', async (start) => {
    await expect(start([Tools] as never)).rejects.toThrow(
      'The server cannot start: 1 problem found.\n' +
        '  1. The options are not an object. Give one: { name, version, controllers: [MyTools] }. [bad-option]',
    )
  })

  it.each([undefined, null, 5, [], Tools])('of createServer must be an object, not %p', async (given) => {
    await expect(createServer(given as never)).rejects.toThrow(
      'The server cannot start: 1 problem found.\n  1. The options are not an object.',
    )
  })

  it.each([
    [100, '100'],
    [null, 'null'],
    ['100/m', "the string '100/m'"],
  ])('require a rate as an object, not %p', async (rateLimit, found) => {
    expect(await findWrong({ rateLimit })).toEqual([
      `bad-option: rateLimit is ${found}. Give a number of calls and a period in milliseconds: { calls: 100, windowMs: 60_000 }.`,
    ])
  })

  it.each([
    [undefined, 'undefined'],
    ['', "the string ''"],
    [5, '5'],
  ])('require a string as name and version, not %p', async (value, found) => {
    expect(await findWrong({ name: value, version: value })).toEqual([
      `bad-option: name is ${found}. Give the server a name: clients show it.`,
      `bad-option: version is ${found}. Give the server a version: clients show it.`,
    ])
  })

  it('require server information in the form of the protocol', async () => {
    const icons = [{ src: 'https://example.com/i.png', sizes: '48x48', theme: 'blue' }]
    expect(await findWrong({ title: 5, description: null, websiteUrl: 5, instructions: ['a'], icons })).toEqual([
      "bad-option: 'title' must be a string, got a number; 'description' must be a string, got null; " +
        "'websiteUrl' must be a string, got a number; 'instructions' must be a string, got an array; " +
        "'icons/0/sizes' must be an array, got a string; " +
        '\'icons/0/theme\' must be one of "light", "dark".',
    ])
    expect(await findWrong({ title: undefined, instructions: '', icons: [] })).toEqual([])
  })

  it.each([
    [0, '0'],
    [-1, '-1'],
    [1.5, '1.5'],
    [Number.NaN, 'NaN'],
    ['5', "the string '5'"],
    [null, 'null'],
    [5n, '5'],
  ])('require whole numbers of at least 1 as limits and page size, not %p', async (value, found) => {
    expect(await findWrong({ limits: { maxDepth: value, callTimeoutMs: value }, pageSize: value ?? {} })).toEqual([
      `bad-option: limits.maxDepth is ${found}. Give a whole number of at least 1.`,
      `bad-option: limits.callTimeoutMs is ${found}. Give a whole number of at least 1.`,
      `bad-option: pageSize is ${value === null ? 'a plain object' : found}. Give a whole number of at least 1.`,
    ])
  })

  it('accept Infinity as no limit, and undefined as the default', async () => {
    const limits = { callTimeoutMs: Infinity, maxDepth: undefined }

    expect(await findWrong({ limits, pageSize: Infinity, cache: { ttlMs: undefined } })).toEqual([])
  })

  it('require a finite limit for the size of a message', async () => {
    expect(await findWrong({ limits: { maxMessageBytes: Infinity, maxItems: Infinity } })).toEqual([
      'bad-option: limits.maxMessageBytes is Infinity. Give a whole number from 1 to 9007199254740991.',
    ])
  })

  it.each([2 ** 31, 30 * 24 * 3600 * 1000])(
    'require rate limit windows that a timer can measure, not %p',
    async (windowMs) => {
      class Limited {
        @McpTool({ rateLimit: { calls: 1, windowMs } })
        search(): void {}
      }
      const advice = `is ${windowMs}. Give at most 2147483647, which is about 24 days.`
      expect(await findDiagnostics({ controllers: [Limited], rateLimit: { calls: 1, windowMs } })).toEqual([
        `bad-option: rateLimit.windowMs ${advice}`,
        `bad-option: Limited.search: rateLimit.windowMs ${advice}`,
      ])
      expect(await findWrong({ rateLimit: { calls: 1, windowMs: 2 ** 31 - 1 } })).toEqual([])
    },
  )

  it('report unknown options with the nearest valid name', async () => {
    const options = { limit: { maxDepth: 5 }, sessionstore: {}, eventStore: undefined, nonsense: undefined }
    expect(await findWrong(options)).toEqual([
      'bad-option: limit is not an option. Did you mean limits?',
      'bad-option: sessionstore is not an option. Did you mean sessionStore?',
    ])
    expect(await findWrong({ tolls: 1, wholeOtherThing: 1 })).toEqual([
      expect.stringMatching(/^bad-option: tolls is not an option\. /),
      expect.stringMatching(
        /^bad-option: wholeOtherThing is not an option\. Give one of authorization, cache, changeBus, compat, .*, version, /,
      ),
    ])
  })

  it.each([
    [null, 'null'],
    ['x', "the string 'x'"],
    [[], 'an array'],
  ])('require objects for groups of options, not %p', async (value, found) => {
    const options = { limits: value, cache: value, requestState: value, tasks: value, compat: value }
    const diagnostics = Object.keys(options).map((name) => `bad-option: ${name} is ${found}. Give an object.`)
    expect((await findWrong(options)).toSorted()).toEqual(diagnostics.toSorted())
  })

  it('reject strings for boolean options', async () => {
    const compat = { alwaysStructuredContent: 'false', alwaysNextCursor: 1 }
    expect(await findWrong({ exposeErrors: 'no', compat })).toEqual([
      "bad-option: exposeErrors is the string 'no'. Give true or false.",
      "bad-option: compat.alwaysStructuredContent is the string 'false'. Give true or false.",
      'bad-option: compat.alwaysNextCursor is 1. Give true or false.',
    ])
  })

  it('report unknown options in groups, too', async () => {
    const options = {
      cache: { ttl: 5 },
      compat: { alwaysNextcursor: true },
      requestState: { key: ['k'.repeat(32)] },
      tasks: { stores: {} },
      authorization: { hideForbiden: true },
    }
    expect((await findWrong(options)).toSorted()).toEqual([
      'bad-option: authorization.hideForbiden is not an option. Did you mean hideForbidden?',
      'bad-option: cache.ttl is not an option. Did you mean ttlMs?',
      'bad-option: compat.alwaysNextcursor is not an option. Did you mean alwaysNextCursor?',
      'bad-option: requestState.key is not an option. Did you mean keys?',
      'bad-option: tasks.stores is not an option. Did you mean store?',
    ])
  })

  it.each([
    ['tools', 'Give `controllers: [MyTools]`, classes whose methods have @McpTool().'],
    ['metrics', 'Give `hooks: [metrics]`.'],
    ['interceptors', 'Give `hooks: [MyHook]`.'],
    ['middleware', 'Give `hooks: [MyHook]`.'],
    [
      'principal',
      'A principal belongs to a caller: `authentication` finds it. In tests, give connect(options, { principal }).',
    ],
    ['guards', 'Write @Authorize() on classes and methods.'],
    ['providers', 'There are no modules: register services in `container`, and give `controllers` or `scan`.'],
    ['hosts', 'Give one of authorization, '],
    ['bearer', 'Give one of authorization, '],
    ['path', 'Give one of authorization, '],
  ])('reject %s, an option name of other frameworks, with a hint', async (name, advice) => {
    expect(await findWrong({ [name]: [] })).toEqual([
      expect.stringContaining(`bad-option: ${name} is not an option. ${advice}`),
    ])
  })

  it.each([
    [null, 'null'],
    [true, 'true'],
  ])('require an object for authorization, not %p', async (value, found) => {
    expect(await findWrong({ authorization: value })).toEqual([
      `bad-option: authorization is ${found}. Give an object.`,
    ])
    expect(await findWrong({ authorization: { impliedScopes: value } })).toEqual([
      `bad-option: authorization.impliedScopes is ${found}. Give an object.`,
    ])
  })

  it('require the methods of loggers, containers and task options', async () => {
    const log = 'child, debug, error, fatal, info, trace, warn'
    expect(await findWrong({ logger: { level: 'info' } })).toEqual([
      `bad-option: logger has no ${log}. Give an object with the methods ${log}.`,
    ])
    expect(await findWrong({ logger: console })).toEqual([
      `bad-option: logger has no child, fatal. Give an object with the methods ${log}.`,
    ])
    const options = { container: {}, rateLimiter: {}, tasks: { store: new Map(), bus: null } }
    const container = 'createChildContainer, isRegistered, register, registerInstance, resolve'
    expect((await findWrong(options)).toSorted()).toEqual([
      `bad-option: container has no ${container}. Give an object with the methods ${container}.`,
      'bad-option: rateLimiter has no take. Give an object with the methods take.',
      'bad-option: tasks.bus is null. Give an object with the methods publish, subscribe.',
      'bad-option: tasks.store has no create, update. Give an object with the methods create, get, update.',
    ])
  })

  it('report both limits of a number with a range', async () => {
    expect(await findWrong({ authorization: { policyTimeoutMs: 2 ** 31 } })).toEqual([
      'bad-option: authorization.policyTimeoutMs is 2147483648. Give a whole number from 1 to 2147483647.',
    ])
  })

  it('require all methods of stores', async () => {
    const get = (): undefined => undefined
    expect(await findWrong({ sessionStore: { get }, eventStore: null, changeBus: 'x' })).toEqual([
      "bad-option: changeBus is the string 'x'. Give an object with the methods publish, subscribe.",
      'bad-option: sessionStore has no create, update, touch, delete, attach. Give an object with the methods create, ' +
        'get, update, touch, delete, attach.',
      'bad-option: eventStore is null. Give an object with the methods append, read, watch, delete.',
    ])
  })

  it('require a list of keys', async () => {
    expect(await findWrong({ requestState: { keys: 'x'.repeat(40) } })).toEqual([
      expect.stringMatching(/^bad-option: requestState.keys needs at least one key/),
    ])
  })

  it('report an unknown limit with the nearest valid name, or with all names', async () => {
    expect(await findWrong({ limits: { maxBodyBytes: 5, maxInflight: 5 } })).toEqual([
      'bad-option: limits.maxBodyBytes is not a limit. Give one of callTimeoutMs, clientRequestTimeoutMs, hookTimeoutMs, maxBatch, ' +
        'maxBufferedBytes, maxDepth, maxInFlight, maxInFlightPerCaller, maxItems, maxKeys, maxMessageBytes, ' +
        'maxResultBytes, maxRoundBytes, maxRoundBytesPerPrincipal, maxRounds, maxRoundsPerPrincipal, maxSessions, maxSkillBytes, maxSkills, maxStoredBytes, maxStoredEvents, ' +
        'maxSubscribedBytes, maxSubscriptions, ' +
        'maxSubscriptionsPerPrincipal, maxTaskBytes, maxTaskBytesPerPrincipal, maxTasks, maxTasksPerPrincipal, ' +
        'maxTotalStoredBytes, nodeTimeoutMs, sessionIdleMs, storeTimeoutMs, storedEventMs, taskTtlMs.',
      'bad-option: limits.maxInflight is not a limit. Did you mean maxInFlight?',
    ])
  })

  it.each([
    [-1, '-1'],
    [Infinity, 'Infinity'],
  ])('reject %p as milliseconds for which clients cache lists', async (ttlMs, found) => {
    expect(await findWrong({ cache: { ttlMs } })).toEqual([
      `bad-option: cache.ttlMs is ${found}. Give a whole number from 0 to 9007199254740991.`,
    ])
  })

  it('accept two cache scopes', async () => {
    expect(await findWrong({ cache: { cacheScope: 'shared' } })).toEqual([
      "bad-option: cache.cacheScope is the string 'shared'. Give 'private' or 'public'.",
    ])
  })

  it('require something to serve', async () => {
    expect(await findDiagnostics({})).toEqual([
      "bad-option: Nothing to serve: give `scan: new URL('./tools/', import.meta.url)` or `controllers: [MyTools]`.",
    ])
  })

  it.each([
    [Tools, 'the class Tools'],
    ['tools', "the string 'tools'"],
    [{ Tools }, 'a plain object'],
  ])('require an array of controllers, not %p', async (controllers, found) => {
    expect(await findDiagnostics({ controllers: controllers as never })).toEqual([
      `bad-option: controllers is ${found}. Give an array of classes.`,
    ])
  })

  it.each([
    [0, '0'],
    [-5, '-5'],
    [Number.NaN, 'NaN'],
    ['1s', "the string '1s'"],
    ['1000', "the string '1000'"],
    [null, 'null'],
  ])('require a time limit above 0 for a tool, not %p', async (timeoutMs, found) => {
    class Slow {
      @McpTool({ timeoutMs: timeoutMs as number })
      run(): string {
        return ''
      }
    }

    expect(await findDiagnostics({ controllers: [Slow] })).toEqual([
      `bad-option: Slow.run: timeoutMs is ${found}. Give a number of milliseconds above 0.`,
    ])
  })

  it.each([
    ['untrusted', 'true', "the string 'true'"],
    ['untrusted', 1, '1'],
    ['rawText', 'false', "the string 'false'"],
  ])('require a boolean for the %s of a tool, not %p', async (option, value, found) => {
    class Feed {
      @McpTool({ [option]: value })
      read(): string {
        return ''
      }
    }

    expect(await findDiagnostics({ controllers: [Feed] })).toEqual([
      `bad-option: Feed.read: ${option} is ${found}. Give true or false.`,
    ])
  })
})

describe('controllers', () => {
  it.each([
    [new Tools(), 'an instance of Tools is not a class. List classes.'],
    [5, '5 is not a class. List classes.'],
    [null, 'null is not a class. List classes.'],
    ['Tools', "the string 'Tools' is not a class. List classes."],
    [undefined, 'undefined is not a class, perhaps because two files import each other. List classes.'],
  ])('must be classes, not %p', async (controller, diagnostic) => {
    expect(await findDiagnostics({ controllers: [controller as never] })).toEqual([
      `bad-controller: controllers: ${diagnostic}`,
    ])
  })

  it.each([
    [class Plain {}, 'the class Plain'],
    [() => Tools, 'a function without a name'],
  ])('must have features, unlike %p', async (controller, found) => {
    expect(await findDiagnostics({ controllers: [controller as never] })).toEqual([
      `no-features: controllers: ${found} has no decorated method. Decorate a method, or remove the class from the list.`,
    ])
  })
})
