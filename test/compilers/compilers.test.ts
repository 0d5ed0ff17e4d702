import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

test('compilers of this repository compile and run one program as expected', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, 'run.mjs'), '--quick'])
  expect(stdout.replaceAll(/ +/g, ' ').trim().split('\n')).toEqual([
    'ok tsc: object: {"sum":3,"at":14}',
    'ok @oxc-node/core: object: {"sum":3,"at":14}',
    'ok tsx: lost-metadata',
    'ok esbuild: lost-metadata',
    'ok esbuild, from the output of tsc: object: {"sum":3,"at":14}',
  ])
})
