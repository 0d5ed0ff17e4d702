import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { MockLanguageModelV3 } from 'ai/test'
import { container, createServer, type McpServer } from 'toolwright'
import { Rooms } from '../rooms.js'
import { RoomTools } from '../tools/room-tools.js'
import {
  type AskOptions,
  ask,
  type RequestedCall,
  type ToolCall,
} from './ask.js'

type Answer = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>

const date = '2030-01-31'
const manager = { subject: 'grace', roles: ['manager'] }
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

function say(text: string): Answer {
  return {
    content: [{ type: 'text', text }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage,
    warnings: [],
  }
}

function use(toolName: string, args: object): Answer {
  return {
    content: [
      {
        type: 'tool-call',
        toolCallId: 'call',
        toolName,
        input: JSON.stringify(args),
      },
    ],
    finishReason: { unified: 'tool-calls', raw: 'tool-calls' },
    usage,
    warnings: [],
  }
}

/** A model that gives these answers one after the other. */
function script(...answers: readonly Answer[]): MockLanguageModelV3 {
  let step = 0
  return new MockLanguageModelV3({
    doGenerate: async () => answers[step++] ?? say('The script has ended.'),
  })
}

/**
 * Returns the messages and the names of tools in the last request to the model.
 */
function seenBy(model: MockLanguageModelV3): {
  readonly messages: string
  readonly tools: readonly string[]
} {
  const call = model.doGenerateCalls.at(-1)
  return {
    messages: JSON.stringify(call?.prompt),
    tools: (call?.tools ?? []).map(({ name }) => name),
  }
}

function serverOf(rooms: Rooms): Promise<McpServer> {
  const services = container.createChildContainer()
  services.registerInstance(Rooms, rooms)
  return createServer({
    name: 'test',
    version: '1.0.0',
    controllers: [RoomTools],
    container: services,
  })
}

async function run(
  model: MockLanguageModelV3,
  rooms = new Rooms(),
  more: Partial<AskOptions> = {},
): Promise<string> {
  const server = await serverOf(rooms)
  try {
    return await ask('Book a room', {
      server,
      model,
      principal: { subject: 'ada', roles: ['staff'] },
      maxSteps: 5,
      approve: async () => false,
      ...more,
    })
  } finally {
    await server.close()
  }
}

test('returns the answer of the model after its calls', async () => {
  const rooms = new Rooms()
  const calls: ToolCall[] = []
  const model = script(
    use('find_rooms', { date, seats: 8 }),
    use('book_room', { room: 'Hopper', date }),
    say('Done.'),
  )
  assert.equal(
    await run(model, rooms, { onCall: (call) => calls.push(call) }),
    'Done.',
  )
  assert.deepEqual(
    calls.map(({ name, result }) => [name, result]),
    [
      [
        'find_rooms',
        '{"rooms":[{"name":"Hopper","seats":8},{"name":"Turing","seats":12}]}',
      ],
      ['book_room', 'Booked Hopper on 2030-01-31.'],
    ],
  )
  assert.deepEqual(rooms.free(date, 8), [{ name: 'Turing', seats: 12 }])
})

test('returns errors of tools to the model, which corrects its call', async () => {
  const rooms = new Rooms()
  rooms.book('Hopper', date, 'eve')
  const model = script(
    use('book_room', { room: 'Hopper', date }),
    use('book_room', { room: 'Turing', date }),
    say('Done.'),
  )
  assert.equal(await run(model, rooms), 'Done.')
  assert.match(
    seenBy(model).messages,
    /"error-text","value":"Hopper is taken on 2030-01-31\. Free rooms: Lovelace, Turing\./,
  )
  assert.deepEqual(rooms.free(date, 8), [])
})

test('returns invalid arguments to the model', async () => {
  const model = script(
    use('book_room', { room: 'Babbage', date: 'Friday' }),
    say('Which date?'),
  )
  assert.equal(await run(model), 'Which date?')
  assert.match(
    seenBy(model).messages,
    /Invalid arguments for tool 'book_room'.*'room' must be one of.*'date'/,
  )
})

test('offers the tools that the user may use, and runs no others', async () => {
  const rooms = new Rooms()
  rooms.book('Hopper', date, 'eve')
  const model = script(
    use('cancel_booking', { room: 'Hopper', date }),
    say('I cannot.'),
  )
  assert.equal(await run(model, rooms), 'I cannot.')
  assert.deepEqual(seenBy(model).tools, ['book_room', 'find_rooms'])
  assert.match(seenBy(model).messages, /unavailable tool 'cancel_booking'/)
  assert.equal(rooms.cancel('Hopper', date), true)

  const forManager = script(
    use('cancel_booking', { room: 'Hopper', date }),
    say('Done.'),
  )
  rooms.book('Hopper', date, 'eve')
  await run(forManager, rooms, {
    principal: manager,
    approve: async () => true,
  })
  assert.equal(rooms.cancel('Hopper', date), false)
})

test('runs a destructive tool only if the user approves', async () => {
  const rooms = new Rooms()
  rooms.book('Hopper', date, 'eve')
  const asked: RequestedCall[] = []
  const model = script(
    use('cancel_booking', { room: 'Hopper', date }),
    say('You did not allow it.'),
  )
  const answer = await run(model, rooms, {
    principal: manager,
    approve: async (call) => asked.push(call) > 1,
  })
  assert.equal(answer, 'You did not allow it.')
  assert.deepEqual(asked, [
    { name: 'cancel_booking', args: { room: 'Hopper', date } },
  ])
  assert.match(seenBy(model).messages, /execution-denied/)
  assert.equal(rooms.cancel('Hopper', date), true)
})

test('ends when the model has no answer within the limit of steps', async () => {
  const model = new MockLanguageModelV3({
    doGenerate: use('find_rooms', { date }),
  })
  await assert.rejects(run(model), {
    message:
      'The model has no answer after 5 steps. Ask for less, or raise MAX_STEPS.',
  })
  assert.equal(model.doGenerateCalls.length, 5)
})

test('MCP clients are subject to the same rules as the agent', async () => {
  const options = { name: 'test', version: '1.0.0', controllers: [RoomTools] }
  await using anonymous = await connect(options)
  await using staff = await connect(options, {
    principal: { subject: 'ada', roles: ['staff'] },
  })
  const namesOf = async ({ client }: typeof staff) =>
    (await client.listTools()).tools.map(({ name }) => name)
  assert.deepEqual(await namesOf(anonymous), ['find_rooms'])
  assert.deepEqual(await namesOf(staff), ['book_room', 'find_rooms'])
})
