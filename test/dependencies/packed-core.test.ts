import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './installed.js'

it('the packed core exports and serves the same as the repository', async () => {
  const program = join(__dirname, 'packed-core.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [program])

  expect(JSON.parse(stdout)).toMatchObject({
    differences: [],
    answer: { id: 1, result: { serverInfo: { name: 'packed' } } },
  })
})

it('the packed core exports the bundle of each entry, with the types of the repository', () => {
  const { exports, publishConfig, files } = JSON.parse(
    readFileSync(join(root, 'packages/core/package.json'), 'utf8'),
  ) as Manifest
  const bundled = Object.entries(exports).map(([name, entry]) => [
    name,
    typeof entry === 'string' ? entry : { types: entry.types, default: entry.default.replace('./dist/', './bundle/') },
  ])

  expect(publishConfig.exports).toEqual(Object.fromEntries(bundled))
  expect(files).toContain('bundle')
})

it('npm cannot pack core, because it would name modules that are not included', async () => {
  const program = join(root, 'scripts/bundle-core.mjs')
  const env = { ...process.env, npm_config_user_agent: 'npm/10.8.2 node/v20.20.2 linux x64 workspaces/false' }

  await expect(promisify(execFile)(process.execPath, [program], { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Pack and publish with pnpm'),
  })
})

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly publishConfig: Pick<Manifest, 'exports'>
  readonly files: readonly string[]
}
