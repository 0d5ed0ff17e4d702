import { once } from 'node:events'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { setTimeout as wait } from 'node:timers/promises'
import { type AddedTool, type CallHook, McpPrompt, McpResource, McpTool, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { modernVersion, speakTo } from '../../protocol/client.js'

interface Line {
  readonly level: number
  readonly msg: string
}

function iterate<Item>(items: readonly Item[]): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]: () => {
      const left = [...items]
      return { next: async () => ({ done: left.length === 0, value: left.shift() as Item }) }
    },
  }
}

const streams: { open: Readable | null; cancelled: boolean } = { open: null, cancelled: false }

class Tools {
  @McpTool({ description: 'An async iterable' })
  rows() {
    return iterate([{ id: 1 }, { id: 2 }])
  }

  @McpTool({ description: 'A promise of an async iterable' })
  async laterRows() {
    return iterate([{ id: 1 }])
  }

  @McpTool({ description: 'A promise of a generator' })
  async laterSteps() {
    return (async function* () {
      yield { progress: 1 }
      return 'stepped'
    })()
  }

  @McpTool({ description: 'A stream of bytes' })
  bytes() {
    return Readable.from([Buffer.from('ol'), Buffer.from([0xc3]), Buffer.from([0xa1])], { objectMode: false })
  }

  @McpTool({ description: 'A stream of text' })
  async text() {
    return Readable.from(['a', 'b'])
  }

  @McpTool({ description: 'A stream of objects' })
  objects() {
    return Readable.from([{ a: 1 }])
  }

  @McpTool({ description: 'A web stream' })
  web() {
    return new Response('from the web').body
  }

  @McpTool({ description: 'A checked list', output: Type.Array(Type.Integer()) })
  numbers(): never {
    return iterate([1, 2]) as never
  }

  @McpTool({ description: 'A stream that fails' })
  fails() {
    return new Readable({ read: () => undefined }).destroy(new Error('disk gone'))
  }

  @McpTool({ description: 'A stream without end', timeoutMs: 50 })
  endless() {
    streams.open = new Readable({ read: () => undefined })
    return streams.open
  }

  @McpTool({ description: 'A web stream without end', timeoutMs: 50 })
  async endlessWeb() {
    return new ReadableStream({ cancel: () => void (streams.cancelled = true) })
  }

  @McpTool({ description: 'Yields results' })
  // oxlint-disable-next-line typescript/no-explicit-any
  async *yields(): AsyncGenerator<any, string> {
    yield 'row 1'
    yield { row: 2 }
    yield { progress: 1 }
    return 'all rows'
  }

  @McpTool({ description: 'No text' })
  picture() {
    return Buffer.from([0xff, 0xd8])
  }

  @McpResource('notes://text')
  notes() {
    return iterate(['x'])
  }

  @McpResource('notes://stream', { mimeType: 'text/plain' })
  async stream() {
    return Readable.from(['one, ', 'two'])
  }

  @McpPrompt({ description: 'Asks' })
  ask(): string {
    return Readable.from([Buffer.from('ask '), Buffer.from('me')], { objectMode: false }) as never
  }
}

async function open() {
  const lines: Line[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line) as Line) })
  const server = await createServer({ name: 'streams', version: '1.0.0', controllers: [Tools], logger })
  return { server, lines, client: await speakTo(server, modernVersion) }
}

describe('a handler that returns an iterable or a stream', () => {
  test.each([
    ['rows', '[{"id":1},{"id":2}]'],
    ['later_rows', '[{"id":1}]'],
    ['later_steps', 'stepped'],
    ['bytes', 'olá'],
    ['text', 'ab'],
    ['objects', '[{"a":1}]'],
    ['web', 'from the web'],
    ['numbers', '[1,2]'],
  ])('%s returns its items', async (name, text) => {
    const { server } = await open()

    expect((await server.callTool(name, {})).content).toEqual([{ type: 'text', text }])
    await server.close()
  })

  test('returns items for resources and prompts, too', async () => {
    const { server, client } = await open()
    const textOf = async (uri: string) => (await client.request('resources/read', { uri })).result.contents[0].text

    expect(await textOf('notes://text')).toBe('["x"]')
    expect(await textOf('notes://stream')).toBe('one, two')
    const { result } = await client.request('prompts/get', { name: 'ask' })
    expect(result.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'ask me' } }])
    await server.close()
  })

  test.each(['fails', 'picture'])('%s is an error of the tool', async (name) => {
    const { server } = await open()

    expect(await server.callTool(name, {})).toMatchObject({ isError: true })
    await server.close()
  })

  test('leaves no stream open after a timeout', async () => {
    const { server } = await open()

    expect(await server.callTool('endless', {})).toMatchObject({ isError: true })
    if (streams.open?.closed === false) await once(streams.open, 'close')
    expect(await server.callTool('endless_web', {})).toMatchObject({ isError: true })
    expect(streams.cancelled).toBe(true)
    await server.close()
  })
})

test('a generator that yields invalid progress is logged once, with the name of the tool', async () => {
  const { server, lines } = await open()

  expect((await server.callTool('yields', {})).content).toEqual([{ type: 'text', text: 'all rows' }])
  expect(lines.filter(({ level }) => level === 50).map(({ msg }) => msg)).toEqual([
    "Tool 'yields' yielded a string that is not a progress update. It was dropped. Yield { progress, total, message }, and return the result",
  ])
  await server.close()
})

const base = { name: 'streams', version: '1.0.0', controllers: [], logger: pino({ level: 'silent' }) }

describe('a stream from an asynchronous handler', () => {
  async function openWith(tool: Omit<AddedTool, 'name'>, hooks: CallHook[] = []) {
    const server = await createServer({ ...base, hooks })
    server.catalog.addTool({ name: 'read', description: 'Reads', ...tool })
    return server
  }

  test('shares the time limit of its handler', async () => {
    const server = await openWith({
      timeoutMs: 200,
      handler: async () => {
        await wait(150)
        return (async function* () {
          await wait(150)
          yield* []
          return 'late'
        })()
      },
    })

    expect(await server.callTool('read', {})).toMatchObject({ isError: true })
    await server.close()
  })

  test('is closed when it is returned after the time limit', async () => {
    const stream = new Readable({ read: () => undefined })
    const server = await openWith({
      timeoutMs: 20,
      handler: async (_args, { signal }) => {
        await once(signal, 'abort')
        return stream
      },
    })

    expect(await server.callTool('read', {})).toMatchObject({ isError: true })
    if (!stream.closed) await once(stream, 'close')
    await server.close()
  })

  test('keeps its slot of maxConcurrent until it ends', async () => {
    const stream = new Readable({ read: () => undefined })
    const server = await openWith({ maxConcurrent: 1, handler: async () => stream })
    const first = server.callTool('read', {})
    await wait(20)

    await expect(server.callTool('read', {})).rejects.toThrow('at most 1 at once')
    stream.push('read')
    stream.push(null)
    expect((await first).content).toEqual([{ type: 'text', text: 'read' }])
    await server.callTool('read', {})
    await server.close()
  })

  test('does not include a query builder that is also a promise', async () => {
    const query = iterate(['row by row'])
    // oxlint-disable-next-line unicorn/no-thenable
    const both = Object.assign(query, { then: (resolve: (rows: string[]) => void) => resolve(['all rows']) })
    const server = await openWith({ handler: () => both })

    expect((await server.callTool('read', {})).content).toEqual([{ type: 'text', text: '["all rows"]' }])
    await server.close()
  })

  test('is passed to around hooks as data', async () => {
    const seen: unknown[] = []
    const hook: CallHook = { around: async (_call, next) => void seen.push(await next()) }
    const server = await openWith({ handler: async () => Readable.from(['a', 'b']) }, [hook])

    await server.callTool('read', {})
    expect(seen).toEqual(['ab'])
    await server.close()
  })
})

describe('a stream without end', () => {
  const forms: [string, () => AsyncIterable<unknown>][] = [
    ['text', () => Readable.from(endless('text'))],
    ['bytes', () => Readable.from(endless(Buffer.from('bytes')), { objectMode: false })],
    ['objects', () => endless({ id: 1 })],
    ['a web stream', () => ReadableStream.from(endless('text')) as AsyncIterable<unknown>],
  ]

  test.each(forms)('of %s is read up to maxResultBytes', async (_form, stream) => {
    ended = 0
    const limits = { maxResultBytes: 4000 }
    const server = await createServer({ ...base, limits })
    server.catalog.addTool({ name: 'own', description: 'Reads', maxResultBytes: 1000, handler: stream })
    server.catalog.addTool({ name: 'later', description: 'Reads', handler: async () => stream() })
    server.catalog.addResource({ uri: 'notes://endless', name: 'endless', handler: stream })

    const rejection = (text: string) => ({ isError: true, content: [{ type: 'text', text }] })
    expect(await server.callTool('own', {})).toMatchObject(
      rejection("Tool 'own' returned more than 1000 bytes. Ask for less."),
    )
    expect(await server.callTool('later', {})).toMatchObject(
      rejection("Tool 'later' returned more than 4000 bytes. Ask for less."),
    )
    await expect(server.readResource('notes://endless')).rejects.toMatchObject({
      code: -32603,
      message: "Resource 'notes://endless' returned more than 4000 bytes. Ask for less",
    })
    expect(server.metrics().oversizedResults).toBe(3)
    await wait(20)
    expect(ended).toBe(3)
    await server.close()
  })
})

/** Streams that were closed. */
let ended = 0

async function* endlessly<Item>(item: Item): AsyncGenerator<Item> {
  try {
    while (true) {
      await wait(0)
      yield item
    }
  } finally {
    ended++
  }
}

/** Not a generator, so that its items are the result. */
function endless<Item>(item: Item): AsyncIterable<Item> {
  return { [Symbol.asyncIterator]: () => endlessly(item) }
}
