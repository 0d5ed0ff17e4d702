import { headerText, pathText, queryPairs, type Style } from '../src/styles.js'
import { startApi } from './support/api.js'
import { operationOf, serveDocument } from './support/serve.js'

// The table "Style Examples" of the OpenAPI specification 3.1.1.
const empty = ''
const string = 'blue'
const array = ['blue', 'black', 'brown']
const object = { R: 100, G: 200, B: 150 }

type Row = readonly [style: Style, explode: boolean, ...texts: (string | null)[]]

const rows: readonly Row[] = [
  ['matrix', false, ';color', ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
  ['matrix', true, ';color', ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
  ['label', false, '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
  ['label', true, '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
  ['simple', false, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['simple', true, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ['form', false, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  ['form', true, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ['spaceDelimited', false, null, null, 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
  ['pipeDelimited', false, null, null, 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ['deepObject', true, null, null, null, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
]

const cells = rows.flatMap(([style, explode, ...texts]) =>
  [empty, string, array, object].flatMap((value, index) => {
    const text = texts[index]
    return text === null || text === undefined ? [] : [{ style, explode, value, text }]
  }),
)

describe('the styles of the specification', () => {
  it.each(cells)('write $value as $text ($style, explode: $explode)', ({ style, explode, value, text }) => {
    const encoding = { style, explode, allowReserved: false }
    const isOfPath = style === 'matrix' || style === 'label' || style === 'simple'
    expect(isOfPath ? pathText('color', value, encoding) : queryPairs('color', value, encoding).join('&')).toBe(text)
  })

  it.each([
    [false, array, 'blue,black,brown'],
    [true, array, 'blue,black,brown'],
    [false, object, 'R,100,G,200,B,150'],
    [true, object, 'R=100,G=200,B=150'],
    [false, 'a b,ü', 'a b,ü'],
  ])('write headers without percent-encoding (explode: %s)', (explode, value, text) => {
    expect(headerText(value, { explode })).toBe(text)
  })

  it.each([
    [{ a: { b: ['x', 'y'] } }, 'f%5Ba%5D%5Bb%5D%5B0%5D=x&f%5Ba%5D%5Bb%5D%5B1%5D=y'],
    [['x', 'y'], 'f%5B0%5D=x&f%5B1%5D=y'],
    [{ eq: 'a&b=c' }, 'f%5Beq%5D=a%26b%3Dc'],
    ['plain', 'f=plain'],
  ])('write nested values of deepObject with brackets: %j', (value, text) => {
    expect(queryPairs('f', value, { style: 'deepObject', explode: true, allowReserved: false }).join('&')).toBe(text)
  })

  it('keep reserved characters that cannot end a part, with allowReserved', () => {
    const encoding = { style: 'form', explode: true, allowReserved: true } as const
    expect(queryPairs('q', 'a/b?c:d@e&f=g#h+i[j]%', encoding)).toEqual(['q=a/b?c:d@e%26f%3Dg%23h%2Bi%5Bj%5D%25'])
  })

  it.each([[[]], [{}]])('leave out empty lists and objects: %j', (value) => {
    for (const explode of [true, false]) {
      expect(queryPairs('color', value, { style: 'form', explode, allowReserved: false })).toEqual([])
    }
  })
})

describe('parameters of a document', () => {
  const list = { type: 'array', items: { type: 'string' } }

  it.each([
    ['arrays of a query are repeated', { name: 'f', in: 'query', schema: list }, ['a', 'b'], '/things?f=a&f=b'],
    [
      'explode: false joins with commas',
      { name: 'f', in: 'query', explode: false, schema: list },
      ['a', 'b,c'],
      '/things?f=a,b%2Cc',
    ],
    [
      'pipes',
      { name: 'f', in: 'query', style: 'pipeDelimited', explode: false, schema: list },
      ['a', 'b'],
      '/things?f=a%7Cb',
    ],
    [
      'deepObject keeps its keys',
      { name: 'f', in: 'query', style: 'deepObject', schema: { type: 'object' } },
      { eq: 1 },
      '/things?f%5Beq%5D=1',
    ],
    [
      'names are encoded',
      { name: 'page[size]', in: 'query', schema: { type: 'integer' } },
      3,
      '/things?page%5Bsize%5D=3',
    ],
    [
      'content is written as JSON',
      { name: 'f', in: 'query', content: { 'application/json': { schema: {} } } },
      { a: [1] },
      '/things?f=%7B%22a%22%3A%5B1%5D%7D',
    ],
    ['null leaves a parameter out', { name: 'f', in: 'query', schema: {} }, null, '/things'],
    ['false and 0 are values', { name: 'f', in: 'query', schema: {} }, false, '/things?f=false'],
    ['an empty string is a value', { name: 'f', in: 'query', schema: { type: 'string' } }, '', '/things?f='],
  ])('%s', async (_, parameter, value, url) => {
    await using api = await startApi()
    await using served = await serveDocument({ document: operationOf({ parameters: [parameter] }) }, api)
    const { tools } = await served.client.listTools()
    const [name = ''] = Object.keys(tools[0]?.inputSchema.properties ?? {})
    await served.call('call', { [name]: value })
    expect(api.only().url).toBe(url)
  })

  it('are sent in headers and cookies', async () => {
    const parameters = [
      { name: 'X-Ids', in: 'header', schema: list },
      { name: 'theme', in: 'cookie', schema: { type: 'string' } },
      { name: 'filter', in: 'cookie', schema: { type: 'object' } },
    ]
    await using api = await startApi()
    await using served = await serveDocument({ document: operationOf({ parameters }) }, api)
    await served.call('call', { 'X-Ids': ['a', 'b'], theme: 'dark; x=1', filter: { a: 1, b: 2 } })
    expect(api.only().headers).toMatchObject({ 'x-ids': 'a,b', cookie: 'theme=dark%3B%20x%3D1; a=1; b=2' })
  })

  it('of a path are merged with those of its operations, which win', async () => {
    const document = {
      openapi: '3.1.0',
      info: {},
      paths: {
        '/{id}': {
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'limit', in: 'query', schema: { type: 'string' } },
            { name: 'page', in: 'query', schema: { type: 'integer' } },
          ],
          get: {
            operationId: 'call',
            parameters: [{ name: 'limit', in: 'query', required: true, schema: { type: 'integer' } }],
          },
        },
      },
    }
    await using api = await startApi()
    await using served = await serveDocument({ document }, api)
    const { tools } = await served.client.listTools()
    expect(tools[0]?.inputSchema).toMatchObject({
      properties: { id: { type: 'string' }, limit: { type: 'integer' }, page: { type: 'integer' } },
      required: ['id', 'limit'],
    })
    await served.call('call', { id: 'x', limit: 3, page: 2 })
    expect(api.only().url).toBe('/x?limit=3&page=2')
  })

  it('that the document forgot are added to the path', async () => {
    await using api = await startApi()
    await using served = await serveDocument({ document: operationOf({}, '/things/{id}') }, api)
    await served.call('call', { id: 'x' })
    expect(api.only().url).toBe('/things/x')
  })
})
