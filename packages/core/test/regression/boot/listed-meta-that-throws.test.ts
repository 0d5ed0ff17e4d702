import { type Extension, McpTool } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import pino from 'pino'

class Tools {
  @McpTool()
  one(): string {
    return '1'
  }
}

const boom = (): never => {
  throw new Error('boom')
}

const circular: Record<string, unknown> = {}
circular['self'] = circular

const failures: readonly (readonly [string, () => unknown, string])[] = [
  ['throws', boom, 'boom'],
  ['rejects', async () => boom(), 'it returned a promise'],
  ['returns text', () => 'text', "it returned the string 'text'"],
  ['returns a circle', () => circular, 'circular structure'],
]

function optionsWith(listedMeta: (name: unknown) => unknown): ServerOptions {
  const extension = { id: 'com.example/a', listedMeta: { tools: ({ name }) => listedMeta(name) } } as Extension
  return { name: 'x', version: '1', controllers: [Tools], extensions: [extension] }
}

describe.each(failures)('listedMeta that %s for one entry', (_how, fail, message) => {
  test('is reported at boot', async () => {
    const booting = createServer(optionsWith(fail))
    await expect(booting).rejects.toMatchObject({
      name: 'BootError',
      message: expect.stringMatching(
        new RegExp(`extension 'com.example/a': listedMeta.tools fails for 'one': [^]*${message}`),
      ),
    })
  })

  test('is logged later, and the list is complete', async () => {
    const lines: string[] = []
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
    const server = await createServer({
      ...optionsWith((name) => (name === 'two' ? fail() : { name })),
      logger,
    })
    server.catalog.addTool({ name: 'two', description: 'Two', handler: () => '2' })
    expect(await server.listTools()).toMatchObject([{ name: 'one', _meta: { name: 'one' } }, { name: 'two' }])
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ extension: 'com.example/a', list: 'tools', entry: 'two' }),
    )
    await server.close()
  })
})
