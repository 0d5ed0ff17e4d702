import { createServer, text } from '@toolwright/core'

const block = text('x')
const asJson = (json: string) => [{ type: 'text', text: json }]

it.each([
  ['a content block', () => block, [block]],
  ['a list of content blocks', () => [block, block], [block, block]],
  ['what becomes a content block', () => ({ toJSON: () => block }), [block]],
  ['a list of what becomes content blocks', () => [{ toJSON: () => block }], [block]],
  ['a list that becomes another', () => Object.assign([1], { toJSON: () => [block] }), [block]],
  ['a result', () => ({ content: [block] }), [block]],
  ['a content block once its names are clean', () => ({ 'ty\u0000pe': 'text', text: 'x' }), [block]],
  ['an empty list', () => [], asJson('[]')],
  ['a list that begins otherwise', () => [1, block], asJson('[1,{"type":"text","text":"x"}]')],
  ['a list of lists of content blocks', () => [[block]], asJson('[[{"type":"text","text":"x"}]]')],
  ['half a content block', () => ({ type: 'text' }), asJson('{"type":"text"}')],
  ['content that is none', () => ({ content: [1] }), asJson('{"content":[1]}')],
  ['members that are inherited', () => Object.create({ ...block, list: [1] }) as object, asJson('{}')],
  ['a date', () => new Date(0), asJson('"1970-01-01T00:00:00.000Z"')],
  ['null', () => null, asJson('null')],
  ['data', () => ({ list: [{ type: 'text', text: 'x' }] }), asJson('{"list":[{"type":"text","text":"x"}]}')],
])('a tool that returns %s sends what that is as JSON', async (_what, handler, content) => {
  const server = await createServer({ name: 'shapes', version: '1.0.0', controllers: [] })
  server.catalog.addTool({ name: 'shape', handler })

  expect(await server.callTool('shape', {})).toStrictEqual({ content })
})
