import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root, runCommand, sampleProgram } from './run-command.js'

const execute = promisify(execFile)

let folder: string

beforeAll(() => {
  // Below the package, so that programs find its dependencies.
  folder = mkdtempSync(join(__dirname, '..', 'dist', 'types-test-'))
  writeFileSync(join(folder, 'server.mjs'), server)
})

afterAll(() => rmSync(folder, { recursive: true }))

/** A server of the official SDK with the tools of a file. */
const server = `
import { readFileSync } from 'node:fs'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const server = new Server({ name: 'library', version: '1.0.0' }, { capabilities: { tools: {} } })
const tools = JSON.parse(readFileSync(process.argv[2], 'utf8'))
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({ content: [], structuredContent: { got: params } }))
await server.connect(new StdioServerTransport())
`

interface ListedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: object
  readonly outputSchema?: object
}

let lists = 0

/** Runs `toolwright types` for a server of the official SDK. */
function typesOf(tools: readonly ListedTool[], ...args: readonly string[]) {
  const file = join(folder, `tools-${(lists += 1)}.json`)
  writeFileSync(file, JSON.stringify(tools))
  return runCommand(['types', ...args, '--', process.execPath, join(folder, 'server.mjs'), file], { cwd: folder })
}

const book = {
  name: 'find_book',
  description: 'Finds a book',
  inputSchema: {
    type: 'object',
    properties: { title: { type: 'string', description: 'Words of the title' }, year: { type: ['integer', 'null'] } },
    required: ['title'],
  },
  outputSchema: { type: 'object', properties: { got: { type: 'object' } }, required: ['got'] },
}

/** A tool whose texts would end comments and strings, and whose schema has extensions that insert code. */
const hostile = {
  name: `it's "odd"\n`,
  description: 'Ends */ declare const injected: 1 /*\r\n\u2028second line \u001B[31m',
  inputSchema: {
    type: 'object',
    properties: {
      enum: { type: 'string', enum: [`a'b`, '*/ "', 'plain'] },
      hasOwnProperty: { tsType: 'injected', description: '*/ injected' },
      'two words': { $ref: 'file:///etc/hostname' },
      tree: { $ref: '#/$defs/node' },
      list: { type: 'array', items: { $ref: '#' }, maxItems: 1_000_000_000 },
    },
    $defs: { node: { type: 'object', title: 'x */', properties: { next: { $ref: '#/$defs/node' } } } },
  },
}

const program = `
import { connect, type ToolContent } from '@toolwright/client'
import type { Tools } from './everything.js'
import type { Tools as LibraryTools } from './library.js'
import type { Tools as PublicTools } from './public.js'

const [everythingProgram = '', publicProgram = '', ...libraryArgs] = process.argv.slice(2)
await using everything = await connect<Tools>({ command: process.execPath, args: [everythingProgram, '--stdio'] })
const { celsius, sky } = await everything.call('test_structured_object')
const checked: [number, 'clear' | 'cloudy' | 'rain'] = [celsius, sky]
const primes: number[] = await everything.call('test_structured_array')
const text: ToolContent = await everything.call('json_schema_2020_12_tool', { contactMethod: 'phone', name: 'Ann', phone: '1' })

await using library = await connect<LibraryTools>({ command: process.execPath, args: libraryArgs })
const { got } = await library.call('find_book', { title: 'Emma', year: null })
const odd = await library.call(${JSON.stringify(hostile.name)}, { enum: 'plain', tree: { next: {} }, list: [{ tree: {} }] })

await using others = await connect<PublicTools>({ command: process.execPath, args: [publicProgram] })
const { temperature, conditions } = await others.call('get-structured-content', { location: 'Chicago' })
const weather: [number, string] = [temperature, conditions]
const sum: ToolContent = await others.call('get-sum', { a: 19, b: 23 })
console.log(JSON.stringify([checked, primes.length, text, got, odd, weather, sum]))

export async function wrong(): Promise<void> {
  // @ts-expect-error: there is no such tool
  await everything.call('test_structured_objects')
  // @ts-expect-error: there is no such argument
  await everything.call('json_schema_2020_12_tool', { names: 'Ann' })
  // @ts-expect-error: the value is not in the enumeration
  await everything.call('json_schema_2020_12_tool', { contactMethod: 'letter' })
  // @ts-expect-error: the argument is missing
  await library.call('find_book', {})
  // @ts-expect-error: the result has no such member
  void (await everything.call('test_structured_object')).fahrenheit
  // @ts-expect-error: the value is not in the enumeration
  await others.call('get-structured-content', { location: 'Oslo' })
  // @ts-expect-error: the argument is a number
  await others.call('get-sum', { a: '19', b: 23 })
  // @ts-expect-error: the description has declared nothing
  void injected
}
`

const compilerOptions = {
  target: 'es2022',
  lib: ['es2023', 'esnext.disposable'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noEmitOnError: true,
  skipLibCheck: true,
}

/** A third-party server from npm. */
const publicServer = require.resolve('@modelcontextprotocol/server-everything/dist/index.js')

/** The declarations of the book and the hostile tool. */
const declarations = `// Tools of the server library, for \`connect<Tools>\` of @toolwright/client.
// Written by \`toolwright types\`. Run the command again instead of changing this file.
import type { ToolContent } from '@toolwright/client'

export interface Tools {
  /** Finds a book */
  find_book: {
    arguments: {
      /** Words of the title */
      title: string
      year?: number | null
    }
    result: {
      got: Record<string, unknown>
    }
  }
  /**
   * Ends *\\/ declare const injected: 1 /*
   *
   * second line
   */
  "it's \\"odd\\"\\n": {
    arguments: {
      enum?: "a'b" | '*/ "' | 'plain'
      /** *\\/ injected */
      hasOwnProperty?: unknown
      list?: ItSOddInput[]
      tree?: ItSOddNode
      'two words'?: unknown
    }
    result: ToolContent
  }
}

export interface ItSOddInput {
  enum?: "a'b" | '*/ "' | 'plain'
  /** *\\/ injected */
  hasOwnProperty?: unknown
  list?: ItSOddInput[]
  tree?: ItSOddNode
  'two words'?: unknown
}

export interface ItSOddNode {
  next?: ItSOddNode
}
`

describe('toolwright types', () => {
  it('writes declarations that accept valid calls and reject wrong calls at compile time', async () => {
    const everything = sampleProgram('everything')
    const [own, others, library] = await Promise.all([
      runCommand(['types', everything, '--out', 'everything.ts'], { cwd: folder }),
      runCommand(['types', '--out', 'public.ts', '--', process.execPath, publicServer], { cwd: folder }),
      typesOf([book, hostile], '--out', 'library.ts'),
    ])
    expect(own.stderr).toMatch(/^Wrote \d+ tools to everything\.ts\.\n$/)
    expect(others.stderr).toMatch(/Wrote \d+ tools to public\.ts\.\n$/)
    expect(library).toEqual({ code: 0, stdout: '', stderr: 'Wrote 2 tools to library.ts.\n' })
    expect(readFileSync(join(folder, 'library.ts'), 'utf8')).toBe(declarations)

    writeFileSync(join(folder, 'program.ts'), program)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const compiled = await run(compiler, '-p', folder)
    expect(compiled).toBe('')

    const results = await run(
      join(folder, 'program.js'),
      everything,
      publicServer,
      join(folder, 'server.mjs'),
      join(folder, 'tools-1.json'),
    )
    const oddArguments = { enum: 'plain', tree: { next: {} }, list: [{ tree: {} }] }
    // The public server logs to stderr, which follows the output.
    const [output = ''] = results.split('\n', 1)
    expect(JSON.parse(output)).toEqual([
      [4.5, 'rain'],
      5,
      'Reached Ann at 1.',
      expect.objectContaining({ name: 'find_book', arguments: { title: 'Emma', year: null } }),
      { got: expect.objectContaining({ name: hostile.name, arguments: oddArguments }) as unknown },
      [36, 'Light rain / drizzle'],
      'The sum of 19 and 23 is 42.',
    ])
  })

  it('writes no type that consists of itself, which does not compile', async () => {
    const $defs = {
      one: { allOf: [{ $ref: '#/$defs/two' }] },
      two: { anyOf: [{ $ref: '#/$defs/one' }, { type: 'string' }] },
      alone: { oneOf: [{ $ref: '#/$defs/alone' }] },
    }
    const properties = { circle: { $ref: '#/$defs/one' }, alone: { $ref: '#/$defs/alone' } }
    const { code, stdout } = await typesOf([{ name: 'go', inputSchema: { type: 'object', properties, $defs } }])
    expect(code).toBe(0)
    expect(stdout.match(/^export type .*$/gm)).toEqual(['export type GoAlone = unknown', 'export type GoOne = unknown'])
  })

  it('names the changed tools with --check, regardless of the order of the list', async () => {
    // As Git checks it out on Windows.
    writeFileSync(join(folder, 'checked.ts'), declarations.replaceAll('\n', '\r\n'))
    const reversed = { ...book, inputSchema: reverse(book.inputSchema) }
    const $defs = { node: { type: 'object', properties: { next: { type: 'boolean' } } } }
    const changed = { ...hostile, inputSchema: { ...hostile.inputSchema, $defs } }
    const [unchanged, outdated, missing, withoutFile] = await Promise.all([
      typesOf([hostile, reversed], '--check', '--out', 'checked.ts'),
      typesOf([changed, { ...book, name: 'find-books' }], '--check', '--out', 'checked.ts'),
      typesOf([book], '--check', '--out', 'missing.ts'),
      runCommand(['types', '--check']),
    ])
    expect(unchanged).toEqual({ code: 0, stdout: '', stderr: 'checked.ts is up to date: 2 tools.\n' })
    const differences = ['  added    find-books', '  removed  find_book', `  changed  it's "odd"`]
    const heading = 'checked.ts is out of date:'
    const advice = 'Run the command without --check to update it.'
    expect(outdated).toEqual({ code: 1, stdout: '', stderr: [heading, ...differences, advice, ''].join('\n') })
    expect([missing.code, missing.stderr]).toEqual([
      1,
      'missing.ts does not exist. Run the command without --check to write it.\n',
    ])
    expect([withoutFile.code, withoutFile.stderr]).toEqual([64, '--check needs the file: --check --out FILE.\n'])
  })
})

/** Runs a program. @returns Its output, also if it fails. */
async function run(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await execute(process.execPath, args).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return stdout + stderr
}

function reverse(schema: { readonly properties: object }): object {
  return { ...schema, properties: Object.fromEntries(Object.entries(schema.properties).toReversed()) }
}
