import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parse } from 'yaml'
import { type Judge, startJudge } from './support/judge.js'
import { sampleOf } from './support/sample.js'
import { serveDocument, textOf } from './support/serve.js'
import { sliceDocument } from './support/slice.js'

const read = (name: string): object => parse(readFileSync(`${__dirname}/fixtures/${name}`, 'utf8')) as object

/**
 * Answers that say nothing about the request. Prism reads lists of objects in forms only as JSON, but APIs in this style expect
 * `items[0][price]`. Some examples of GitHub redirect without a target, or to hosts that this machine cannot reach.
 */
const unjudged =
  /Cannot deserialize JSON object array in form data|answered 302, and named|^The connection to the API failed/

/** Calls each tool once with all arguments of its schema. Returns the calls that prism refused. */
async function callAll(
  document: object,
  judge: Judge,
  maxTools: number,
): Promise<{ count: number; refused: unknown[] }> {
  await using served = await serveDocument(
    { document, baseUrl: judge.url, allowPrivate: ['127.0.0.1'], maxTools },
    null,
  )
  const { tools } = await served.client.listTools()
  const refused: unknown[] = []
  for (const { name, inputSchema } of tools) {
    const args = sampleOf(inputSchema) as Record<string, unknown>
    const result = await served.call(name, args)
    if (result.isError === true && !unjudged.test(textOf(result))) refused.push([name, args, textOf(result)])
  }
  return { count: tools.length, refused }
}

describe.each([
  ['petstore.yaml', 18],
  ['payments.yaml', 6],
])('every operation of %s', (name, count) => {
  it('is called once, and prism accepts the request', async () => {
    await using judge = await startJudge(read(name))
    expect(await callAll(read(name), judge, 40)).toEqual({ count, refused: [] })
  })
})

describe('prism', () => {
  it.each([
    ['a value that is not in the enum', '/pet/findByStatus?status=lost', {}],
    ['text for a number', '/pet/abc', {}],
    [
      'a body without required members',
      '/pet',
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
    ],
    [
      'a body of another type',
      '/pet',
      { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{"name":"x"}' },
    ],
  ])('refuses %s', async (_, path, init) => {
    await using judge = await startJudge(read('petstore.yaml'))
    const { status } = await fetch(judge.url + path, init)
    expect(status).toBeGreaterThanOrEqual(400)
  })
})

describe('every operation of GitHub', () => {
  const document = JSON.parse(gunzipSync(readFileSync(`${__dirname}/fixtures/github.json.gz`)).toString()) as Record<
    string,
    unknown
  >
  // Prism takes a second for each path of a document with all paths. Without OPENAPI_JUDGE=all, a part of the paths is judged.
  const slices = sliceDocument(document, 30)
  const judged = process.env['OPENAPI_JUDGE'] === 'all' ? slices : slices.filter((_, index) => index % 14 === 6)

  it.each(judged.map((slice, index) => [index + 1, slice] as const))(
    'is called once, and prism accepts the request: part %i',
    async (_, slice) => {
      await using judge = await startJudge(structuredClone(slice))
      const { count, refused } = await callAll(slice, judge, 200)
      expect(count).toBeGreaterThan(0)
      expect(refused).toEqual([])
    },
  )
})
