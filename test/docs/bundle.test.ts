import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blocksIn, root } from './markdown.js'
import { run, startServer } from './programs.js'

/** The arguments of esbuild on the page, for another program and another file. */
function bundlerArguments(entry: string, outfile: string): string[] {
  const commands = blocksIn('docs/how-to/deploy-behind-a-proxy.md').map(({ text }) => text.replaceAll('\\\n', ' '))
  const [, words = ''] = commands.map((text) => text.split(/^npx esbuild /m)).find(({ length }) => length === 2) ?? []
  const given = [...words.matchAll(/(?:"[^"]*"|[^\s"])+/g)].map(([word]) => word.replaceAll('"', ''))
  const own = new Map([
    ['dist/main.js', entry],
    ['--outfile=server.mjs', `--outfile=${outfile}`],
  ])
  return given.map((word) => own.get(word) ?? word)
}

test('the bundle of the guide runs in a folder without packages', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'))
  const entry = join(root, 'samples', 'hello', 'dist', 'main.js')
  const esbuild = join(root, 'node_modules', 'esbuild', 'bin', 'esbuild')
  await run([esbuild, ...bundlerArguments(entry, join(folder, 'server.mjs'))], { cwd: root })
  const server = await startServer(['server.mjs'], { cwd: folder })
  await server.stop()
  rmSync(folder, { recursive: true })
  expect(server.greeting).toMatch(/^hello 1\.0\.0 serving MCP at /)
})
