import { join } from 'node:path'
import { build } from 'esbuild'

test('a bundle for browsers has the native WebSocket, and nothing of Node or of the server', async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: "export { openStream } from './src/client/index.ts'", resolveDir: join(__dirname, '..') },
    alias: { '#web-socket': join(__dirname, '..', 'src', 'client', 'web-socket', 'browser.ts') },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  })

  const inputs = Object.keys(metafile.inputs).filter((path) => path !== '<stdin>')
  expect(inputs.filter((path) => !/packages\/streams\/src\/(?:client|flow|wire)\//.test(path))).toEqual([])
  expect(outputFiles[0]?.text.length).toBeLessThan(14_000)
})
