import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packagesInstalledWith } from '../../scripts/installed-packages.mjs'
import { root } from './installed.js'

it.each(['node', 'module'])('the packed core exports and serves the same as the repository (%s)', async (bundle) => {
  const program = join(__dirname, 'packed-core.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [program, bundle])

  expect(JSON.parse(stdout)).toMatchObject({
    differences: [],
    answer: { id: 1, result: { serverInfo: { name: 'packed' } } },
    // Clients load this entry, and no server.
    ofWire: ['wire.js', expect.stringMatching(/^chunk-/)],
  })
})

it.each(packagesInstalledWith('toolwright'))(
  'the packed %s exports the bundles of each entry, with the types of the repository',
  (name) => {
    const { exports, publishConfig, files } = JSON.parse(
      readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'),
    ) as Manifest
    const bundled = Object.entries(exports).map(([entry, target]) => {
      if (typeof target === 'string') return [entry, target]
      const file = target.default.replace('./dist/', '')
      return [entry, { types: target.types, module: `./bundle/module/${file}`, default: `./bundle/node/${file}` }]
    })

    expect(publishConfig.exports).toEqual(Object.fromEntries(bundled))
    expect(files).toContain('bundle')
  },
)

it('npm cannot pack a bundled package, because it would name modules that are not included', async () => {
  const program = join(root, 'scripts/bundle-packages.mjs')
  const env = { ...process.env, npm_config_user_agent: 'npm/10.8.2 node/v20.20.2 linux x64 workspaces/false' }

  await expect(promisify(execFile)(process.execPath, [program, 'core'], { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Pack and publish with pnpm'),
  })
})

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly publishConfig: Pick<Manifest, 'exports'>
  readonly files: readonly string[]
}
