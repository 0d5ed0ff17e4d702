import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { startJudge } from './support/judge.js'
import { sampleOf } from './support/sample.js'
import { serveDocument, textOf } from './support/serve.js'

const read = (name: string): object => parse(readFileSync(`${__dirname}/fixtures/${name}`, 'utf8')) as object

describe.each([
  ['petstore.yaml', 18],
  ['payments.yaml', 6],
])('every operation of %s', (name, count) => {
  it('is called once, and prism accepts the request', async () => {
    await using judge = await startJudge(read(name))
    await using served = await serveDocument({ document: read(name), baseUrl: judge.url, allowPrivate: ['127.0.0.1'] }, null)
    const { tools } = await served.client.listTools()
    expect(tools.length).toBe(count)
    const refused: unknown[] = []
    for (const { name: tool, inputSchema } of tools) {
      const args = sampleOf(inputSchema) as Record<string, unknown>
      const result = await served.call(tool, args)
      if (result.isError === true || /violation/i.test(textOf(result))) refused.push([tool, args, textOf(result)])
    }
    expect(refused).toEqual([])
  })
})
