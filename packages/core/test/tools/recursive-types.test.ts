import { Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { modernVersion, speakTo } from '../protocol/client.js'

const Tree = Type.Cyclic(
  {
    'a/Tree': Type.Object({ name: Type.String(), children: Type.Optional(Type.Ref('List')) }),
    List: Type.Array(Type.Ref('a/Tree')),
  },
  'a/Tree',
)

const places = {
  left: Type.Optional(Tree),
  right: Type.Optional(Tree),
  either: Type.Optional(Type.Union([Tree, Type.Null()])),
  pair: Type.Optional(Type.Tuple([Tree, Tree])),
  list: Type.Optional(Type.Ref('List')),
}

async function open() {
  const server = await createServer({ name: 'forest', version: '1.0.0', controllers: [] })
  const handler = (): string => 'fits'
  server.catalog.addTool({ name: 'typed', input: Type.Object(places), handler })
  const client = await speakTo(server, modernVersion)
  const [{ inputSchema }] = (await client.request('tools/list')).result.tools
  // The operations of a client on a listed schema.
  server.catalog.addTool({ name: 'shown', inputSchema, handler })
  const call = async (args: object): Promise<string[]> => {
    const results = await Promise.all(['typed', 'shown'].map((name) => server.callTool(name, args)))
    return results.map(({ content }) => (content[0] as { text: string }).text)
  }
  return { inputSchema, call, close: () => server.close() }
}

const good = { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] }
const bad = { name: 'a', children: [{ name: 'b', children: [{ name: 3 }] }] }

describe('a recursive type in several places of a schema', () => {
  it('is listed once, in $defs', async () => {
    const { inputSchema, close } = await open()
    const tree = { $ref: '#/$defs/a~1Tree' }

    expect(inputSchema).toStrictEqual({
      type: 'object',
      properties: {
        left: tree,
        right: tree,
        either: { anyOf: [tree, { type: 'null' }] },
        pair: { type: 'array', prefixItems: [tree, tree], items: false, minItems: 2 },
        list: { $ref: '#/$defs/List' },
      },
      $defs: {
        'a/Tree': {
          type: 'object',
          properties: { name: { type: 'string' }, children: { $ref: '#/$defs/List' } },
          required: ['name'],
        },
        List: { type: 'array', items: tree },
      },
    })
    await close()
  })

  it.each([
    ['left', good, bad],
    ['right', good, bad],
    ['either', good, bad],
    ['pair', [good, good], [good, bad]],
    ['list', [good], [good, bad]],
  ])('is enforced in %s', async (place, fits, doesNot) => {
    const { call, close } = await open()

    expect(await call({ [place]: fits })).toEqual(['fits', 'fits'])
    expect(await call({ [place]: doesNot })).not.toContain('fits')
    await close()
  })
})
