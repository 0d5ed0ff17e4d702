import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const tsc = join(__dirname, '..', '..', '..', 'node_modules', 'typescript', 'bin', 'tsc')

interface Cost {
  readonly instantiations: number
  readonly types: number
}

/** Compiles a class with some tools, and a client that calls each of them. */
async function compile(folder: string, tools: number, isCalled: boolean): Promise<Cost> {
  const numbers = Array.from({ length: tools }, (_, index) => index)
  const server = `import type { McpContext } from '@toolwright/core'
export class ManyTools {
${numbers.map((each) => `  async tool${each}(input: { id${each}: string; count?: number }, context: McpContext) { return { id: input.id${each}, at: new Date(), list: [{ n: ${each} }], by: context.method } }`).join('\n')}
}`
  const client = `import { connect } from '@toolwright/client'
import type { ManyTools } from './server.js'
const client = await connect('http://127.0.0.1:3000/mcp')
const tools = ${isCalled ? 'client.tools<ManyTools>()' : '{}'}
${isCalled ? numbers.map((each) => `export const result${each}: { id: string; at: string; list: { n: number }[]; by: string } = await tools.tool${each}({ id${each}: 'a' })`).join('\n') : 'export type Keep = [ManyTools, typeof tools]'}
`
  writeFileSync(join(folder, 'server.ts'), server)
  writeFileSync(join(folder, 'client.ts'), client)
  const options = {
    target: 'es2022',
    lib: ['es2023', 'es2024.string', 'dom'],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }))
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder, '--extendedDiagnostics'])
  const read = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(stdout)?.[1])
  return { instantiations: read('Instantiations'), types: read('Types') }
}

test('200 tools cause at most 600 type instantiations each', async () => {
  // Inside the package, so that its dependencies are found.
  const folder = mkdtempSync(join(__dirname, '.compiled-'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  try {
    const without = await compile(folder, 200, false)
    const cost = await compile(folder, 200, true)
    expect(without.instantiations).toBeGreaterThan(0)
    // Measured: 480 instantiations for each tool.
    expect(cost.instantiations - without.instantiations).toBeLessThan(200 * 600)
    expect(cost.types - without.types).toBeLessThan(200 * 300)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
