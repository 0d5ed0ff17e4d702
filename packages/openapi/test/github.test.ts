import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { McpServer } from '@toolwright/core'
import { openApi } from '@toolwright/openapi'
import { createServer } from '@toolwright/server'
import { connect } from '@toolwright/testing'
import { createHost } from 'toolwright'
import { documentOf, quiet } from './support/serve.js'

// The document of GitHub's API, from the package @octokit/openapi 23.0.2 (MIT).
const document = JSON.parse(gunzipSync(readFileSync(`${__dirname}/fixtures/github.json.gz`)).toString()) as object
const source = () => openApi({ document, auth: 'none', maxTools: 2000 })

interface Tool {
  readonly name: string
  readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> }
}

/** Boots a small API first, so that modules are loaded. Returns the milliseconds of CPU of the boot. */
async function boot(): Promise<{ server: McpServer; cpuMs: number }> {
  const small = openApi({
    document: documentOf({ '/x': { get: {} } }),
    auth: 'none',
    baseUrl: 'https://api.example.com',
  })
  await (await createServer({ ...quiet, sources: [small] })).close()
  const before = process.cpuUsage()
  const server = await createServer({ ...quiet, sources: [source()] })
  const { user, system } = process.cpuUsage(before)
  return { server, cpuMs: (user + system) / 1000 }
}

describe("GitHub's document", () => {
  let server: McpServer
  let cpuMs = 0
  beforeAll(async () => {
    const booted = await boot()
    server = booted.server
    cpuMs = booted.cpuMs
  })
  afterAll(() => server.close())

  it('boots in seconds, and lists every operation in less than 1.5 MB', async () => {
    await using connection = await connect(server)
    const tools = (await connection.client.listTools()).tools as readonly Tool[]

    expect(tools).toHaveLength(1223)
    expect(new Set(tools.map(({ name }) => name)).size).toBe(1223)
    expect(tools.filter(({ name }) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([])
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(1_500_000)
    const keys = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}))
    expect(keys.filter((key) => !/^[A-Za-z0-9_.-]{1,64}$/.test(key))).toEqual([])
    expect(server.explain().sources[0]?.leftOut).toEqual([])
    // 2 s on a machine that does nothing else. Tests of other workers take a part of the caches.
    expect(cpuMs).toBeLessThan(6000)
  })

  it('has no reference that a client would have to fetch', async () => {
    const tools = await server.listTools()
    for (const { name, inputSchema, outputSchema } of tools) {
      for (const schema of [inputSchema, outputSchema] as { readonly $defs?: object }[]) {
        const references = [...JSON.stringify(schema ?? {}).matchAll(/"\$ref":"([^"]*)"/g)].map(
          ([, reference = '']) => reference,
        )
        const missing = references.filter(
          (reference) => !Object.hasOwn(schema?.$defs ?? {}, reference.slice('#/$defs/'.length)),
        )
        expect([name, missing]).toEqual([name, []])
      }
    }
  })

  it('is accepted by version 1 of the official client, which compiles each schema of an answer', async () => {
    const app = await createHost({ name: 'test', version: '1', sources: [source()], fastify: { logger: false } })
    const client = new FirstClient({ name: 'test', version: '1' })
    await client.connect(new FirstTransport(new URL('/mcp', await app.listen({ port: 0, host: '127.0.0.1' }))))
    const first = await client.listTools()
    const second = await client.listTools({ cursor: first.nextCursor })
    expect(first.tools.length + second.tools.length).toBe(1223)
    await client.close()
    await app.close()
  })
})
