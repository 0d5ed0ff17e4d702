import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parse } from 'yaml'
import { type Judge, startJudge } from './support/judge.js'
import { sampleOf } from './support/sample.js'
import { serveDocument, textOf } from './support/serve.js'

const read = (name: string): object => parse(readFileSync(`${__dirname}/fixtures/${name}`, 'utf8')) as object

/** Prism reads lists of objects in forms only as JSON. APIs in this style expect `items[0][price]`. */
const unjudged = /Cannot deserialize JSON object array in form data/

/** Calls each tool once with all arguments of its schema. Returns the calls that prism refused. */
async function callAll(document: object, judge: Judge, maxTools: number): Promise<{ count: number; refused: unknown[] }> {
  await using served = await serveDocument({ document, baseUrl: judge.url, allowPrivate: ['127.0.0.1'], maxTools }, null)
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
    ['a body without required members', '/pet', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }],
    ['a body of another type', '/pet', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{"name":"x"}' }],
  ])('refuses %s', async (_, path, init) => {
    await using judge = await startJudge(read('petstore.yaml'))
    const { status } = await fetch(judge.url + path, init)
    expect(status).toBeGreaterThanOrEqual(400)
  })
})

describe('every operation of GitHub', () => {
  it('is called once, and prism accepts the request', async () => {
    const document = gunzipSync(readFileSync(`${__dirname}/fixtures/github.json.gz`)).toString()
    let t = performance.now()
    await using judge = await startJudge(JSON.parse(document) as object)
    console.log('judge', performance.now() - t); t = performance.now()
    const { count, refused } = await callAll(JSON.parse(document) as object, judge, 2000)
    console.log('calls', performance.now() - t, count, refused.length)
    require('node:fs').writeFileSync('/tmp/refused.json', JSON.stringify(refused, null, 1))
    expect({ count, refused: refused.slice(0, 5) }).toEqual({ count: 1223, refused: [] })
  }, 600000)
})
