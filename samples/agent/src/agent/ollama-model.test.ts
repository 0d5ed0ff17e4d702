import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'toolwright'
import { RoomTools } from '../tools/room-tools.js'
import { ask } from './ask.js'
import {
  type FakeAnswer,
  type FakeRequest,
  startFakeOllama,
} from './fake-ollama.js'
import { ollamaModel } from './ollama-model.js'

/** @returns The answer, or the message of the error. */
async function run(url: string): Promise<string> {
  const server = await createServer({
    name: 'test',
    version: '1.0.0',
    controllers: [RoomTools],
  })
  const principal = { subject: 'ada', roles: ['staff'] }
  const model = ollamaModel(url, 'qwen3:4b')
  try {
    return await ask('Book Hopper', {
      server,
      model,
      principal,
      maxSteps: 5,
      approve: async () => false,
    })
  } catch (error) {
    return (error as Error).message
  } finally {
    await server.close()
  }
}

async function runWith(
  answers: readonly FakeAnswer[],
): Promise<[string, readonly FakeRequest[]]> {
  const ollama = await startFakeOllama(answers)
  try {
    return [await run(ollama.url), ollama.requests]
  } finally {
    ollama.close()
  }
}

test('a model of Ollama calls tools, and gets their results', async () => {
  const [answer, requests] = await runWith([
    [['book_room', { room: 'Hopper', date: '2030-01-31' }]],
    'Done.',
  ])
  assert.equal(answer, 'Done.')
  assert.equal(requests[0]?.model, 'qwen3:4b')
  assert.deepEqual(
    requests[0]?.tools.map((tool) => tool.function.name),
    ['book_room', 'find_rooms'],
  )
  assert.deepEqual(
    requests[1]?.messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'tool'],
  )
  assert.equal(
    requests[1]?.messages[3]?.content,
    'Booked Hopper on 2030-01-31.',
  )
})

test('a missing model is named', async () => {
  const [message] = await runWith([])
  assert.equal(
    message,
    'The model failed: model "qwen3:4b" not found, try pulling it first',
  )
})

test('an unreachable server is named', async () => {
  const ollama = await startFakeOllama([])
  ollama.close()
  assert.equal(
    await run(ollama.url),
    `No model at ${ollama.url} (ECONNREFUSED). Start Ollama with \`ollama serve\`, or set OLLAMA_URL.`,
  )
})
