import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { readPage, root } from './markdown.js'
import { startServer } from './programs.js'

const page = readPage('ARCHITECTURE.md')

/** Each source file that the page links to, with the code names that follow in the same cell or sentence. */
const named = page.split('\n').flatMap((line) =>
  [...line.matchAll(/\]\((packages\/[^)]+\.ts)\)([^[]*)/g)].map(([, file = '', rest = '']) => ({
    file,
    names: [...rest.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  })),
)

test('the page names more than thirty functions', () => {
  expect(named.flatMap(({ names }) => names).length).toBeGreaterThan(30)
})

test('every function on the page exists in the file that the page links to', () => {
  const missing = named.flatMap(({ file, names }) => {
    const source = readFileSync(join(root, file), 'utf8')
    return names.filter((name) => !declares(source, name)).map((name) => `${file} has no ${name}`)
  })
  expect(missing).toEqual([])
})

test('every folder of core is in the tree', () => {
  const src = join(root, 'packages', 'core', 'src')
  const folders = readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
  expect(folders.filter((folder) => !page.includes(`${folder}/ `))).toEqual([])
})

test('every function on the page runs when a server boots and a tool is called', async () => {
  const run = await runFunctions()
  const idle = named.flatMap(({ file, names }) =>
    names.filter((name) => !run.has(`${file} ${name}`)).map((name) => `${file}: ${name} did not run`),
  )
  expect(idle).toEqual([])
})

const calculator = join(root, 'samples', 'calculator', 'dist', 'main.js')
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add_numbers', arguments: { a: 1, b: 2 } } }

/** `FILE NAME` of functions that ran while a sample served one call of each era over HTTP, and one over stdio. */
async function runFunctions(): Promise<ReadonlySet<string>> {
  const folder = mkdtempSync(join(tmpdir(), 'coverage-'))
  // Runs without the bundle of core: a bundle does not show the file of a function.
  const env = { NODE_V8_COVERAGE: folder, NODE_OPTIONS: '' }
  try {
    const server = await startServer([calculator], { cwd: root, env })
    await callOnceInEachEra(`http://127.0.0.1:${server.port}/mcp`)
    await server.stop()
    spawnSync(process.execPath, [calculator, '--stdio'], {
      input: `${JSON.stringify(call)}\n`,
      env: { ...process.env, ...env },
    })
    return readCoverage(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function callOnceInEachEra(url: string): Promise<void> {
  for (const mode of ['auto', 'legacy'] as const) {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    const { structuredContent } = await client.callTool(call.params)
    expect(structuredContent).toEqual({ sum: 3 })
    await client.close()
  }
}

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly functionName: string; readonly ranges: readonly { count: number }[] }[]
  }[]
}

function readCoverage(folder: string): ReadonlySet<string> {
  const reports = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Coverage)
  return new Set(
    reports.flatMap(({ result }) =>
      result.flatMap(({ url, functions }) => {
        const compiled = /\/(packages\/\w+)\/dist\/(.+)\.js$/.exec(url)
        if (compiled === null) return []
        const file = `${compiled[1]}/src/${compiled[2]}.ts`
        const ran = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        return ran.map(({ functionName }) => `${file} ${functionName}`)
      }),
    ),
  )
}

function declares(source: string, name: string): boolean {
  return new RegExp(`(function\\*?|class|const|interface) ${name}\\b|^  (async )?#?${name}[(<]`, 'm').test(source)
}
