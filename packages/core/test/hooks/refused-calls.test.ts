import { setTimeout as sleep } from 'node:timers/promises'
import {
  Authorize,
  createServer,
  McpCompletion,
  McpPrompt,
  McpResource,
  McpTool,
  type Principal,
  Type,
} from '@toolwright/core'
import { pino } from 'pino'
import { openRawClient } from '../support/raw-client.js'
import { recording } from './recording.js'

@Authorize({ roles: ['Admin'], policy: ({ principal }) => principal?.subject === 'root' })
class Vault {
  @McpTool({ input: Type.Object({ by: Type.String() }) })
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
  ['without the role', { subject: 'ada', roles: [], scopes: [], claims: {} }, 'Forbidden: you may not use this'],
  [
    'without the policy',
    { subject: 'ada', roles: ['Admin'], scopes: [], claims: {} },
    'Forbidden: you may not use this',
  ],
]

const cells = callers.flatMap(([who, principal, message]) =>
  requests.flatMap(([feature, method, params]) =>
    [false, true].map((hideForbidden) => ({ who, principal, message, feature, method, params, hideForbidden })),
  ),
)

it.each(cells)(
  'hooks hear once that $who is refused $feature, and why (hidden: $hideForbidden)',
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
    // Completions of a prompt that the caller cannot see are of no feature.
    const isUnknown = feature.startsWith('completion') && principal?.roles.includes('Admin') !== true
    // They hear after the answer.
    for (let tries = 0; tries < (isUnknown ? 5 : 1000) && notes.length === 0; tries++) {
      // oxlint-disable-next-line no-await-in-loop
      await sleep(1)
    }
    expect(notes).toEqual(isUnknown ? [] : [['hook', 'onFailed', feature, 'protocol-error', message]])
    await client[Symbol.asyncDispose]()
    await server.close()
  },
)
