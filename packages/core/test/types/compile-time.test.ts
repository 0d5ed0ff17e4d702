// The cost of the types of schemas for the compiler.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const tsc = join(__dirname, '..', '..', '..', '..', 'node_modules', 'typescript', 'bin', 'tsc')
const count = 200

/** Compiles a class with 200 tools. @returns The instantiations of types. */
async function instantiationsOf(head: string, tool: (index: number) => string, inClass: string): Promise<number> {
  // Inside the package, so that its dependencies are found.
  const folder = mkdtempSync(join(__dirname, '.compiled-'))
  const indices = Array.from({ length: count }, (_, index) => index)
  try {
    const methods = indices.map((index) => inClass.replaceAll('#', String(index)))
    const source = [head, ...indices.map(tool), 'export class ManyTools {', ...methods, '}'].join('\n')
    writeFileSync(join(folder, 'tools.ts'), source)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2023', 'es2024.string', 'dom'],
      module: 'nodenext',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      types: ['node'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder, '--extendedDiagnostics'])
    return Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('200 tools', () => {
  it('with schemas of Zod cause fewer than 300,000 type instantiations', async () => {
    const instantiations = await instantiationsOf(
      `import { McpTool } from '@toolwright/core'\nimport { z } from 'zod'`,
      (index) => `const Input${index} = z.object({
  id${index}: z.string().trim(),
  day: z.iso.date().transform((day) => new Date(day)),
  seats: z.number().int().default(4),
  kind: z.enum(['a', 'b', 'c']),
  guest: z.object({ name: z.string(), mail: z.email().optional() }),
})
const Output${index} = z.object({ id: z.string(), at: z.date().transform(String).pipe(z.string()), tags: z.array(z.string()) })`,
      `  @McpTool({ input: Input#, output: Output# })
  tool#({ id#, day }: z.output<typeof Input#>): z.input<typeof Output#> { return { id: id#, at: day, tags: [] } }`,
    )
    expect(instantiations).toBeGreaterThan(0)
    expect(instantiations).toBeLessThan(300_000)
  })

  it('with schemas of TypeBox cause fewer than 330,000 type instantiations', async () => {
    const instantiations = await instantiationsOf(
      `import { McpTool, type Static, Type } from '@toolwright/core'`,
      (index) => `const Input${index} = Type.Object({
  id${index}: Type.String(),
  day: Type.String({ format: 'date' }),
  seats: Type.Integer({ default: 4 }),
  kind: Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Literal('c')]),
  guest: Type.Object({ name: Type.String(), mail: Type.Optional(Type.String({ format: 'email' })) }),
})
const Output${index} = Type.Object({ id: Type.String(), at: Type.String(), tags: Type.Array(Type.String()) })`,
      `  @McpTool({ input: Input#, output: Output# })
  tool#({ id#, day }: Static<typeof Input#>): Static<typeof Output#> { return { id: id#, at: day, tags: [] } }`,
    )
    expect(instantiations).toBeGreaterThan(0)
    expect(instantiations).toBeLessThan(330_000)
  })
})
