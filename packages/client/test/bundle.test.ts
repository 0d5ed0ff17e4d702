import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const root = join(__dirname, '..', '..', '..')

/** Bundles a module from the compiled packages, with a chunk for each dynamic import. */
async function bundle(contents: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, loader: 'ts', resolveDir: __dirname },
    bundle: true,
    splitting: true,
    outdir: 'dist',
    minify: true,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    write: false,
    absWorkingDir: root,
  })
  const chunks = Object.values(metafile.outputs).map(({ inputs, entryPoint = '<shared>' }, index) => {
    const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    return { code: outputFiles[index]?.contents ?? new Uint8Array(), files: used.map(([file]) => file), entryPoint }
  })
  const first = chunks.filter(({ entryPoint }) => ['<stdin>', '<shared>'].includes(entryPoint))
  return {
    /** Loaded before the module runs. */
    code: Buffer.concat(first.map(({ code }) => code)),
    files: first.flatMap(({ files }) => files),
    /** Loaded on demand. */
    later: chunks.filter((chunk) => !first.includes(chunk)),
  }
}

/** A page that calls typed tools. */
const page = `
  import type { ShopTools } from './support/shop-tools.js'
  import { connect } from '@toolwright/client'
  const client = await connect(location.origin + '/mcp')
  document.title = String(await client.tools<ShopTools>().countArticles())
`

const officialClient = `
  import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
  globalThis.use = [Client, StreamableHTTPClientTransport]
`

describe('a bundle for browsers', () => {
  let bundled: Awaited<ReturnType<typeof bundle>>

  beforeAll(async () => {
    bundled = await bundle(page)
  })

  test('has no code of a server, of Node or of the class', () => {
    const own = bundled.files.filter((file) => !file.includes('node_modules/'))
    expect(own.filter((file) => file.startsWith('packages/core/')).toSorted()).toEqual([
      'packages/core/dist/catalog/define/wire-name.js',
      'packages/core/dist/errors/nearest-name.js',
      'packages/core/dist/plan/result-kind.js',
      'packages/core/dist/protocol/latest-version.js',
      'packages/core/dist/timing/time-slice.js',
    ])
    expect(own).toContain('packages/client/dist/platform/browser.js')
    expect(own).not.toContain('packages/client/dist/platform/node.js')
    expect(bundled.files.filter((file) => /node_modules\/(ws|cross-spawn|pino|typebox|tsyringe)\//.test(file))).toEqual(
      [],
    )
    expect(Buffer.from(bundled.code).toString()).not.toMatch(/reflect-metadata|shop-tools|node:/)
  })

  test('loads the client code of streams on demand, and no server code of streams', () => {
    const [streams, ...others] = bundled.later.filter(({ entryPoint }) => entryPoint.startsWith('packages/'))
    expect([streams?.entryPoint, ...others]).toEqual(['packages/streams/dist/client/index.js'])
    expect(streams?.files.filter((file) => !/^packages\/streams\/dist\/(?:client|flow|wire)\//.test(file))).toEqual([])
    expect(streams?.code.length).toBeLessThan(12_000)
  })

  test('is not much larger than the official client', async () => {
    const [ours, official] = [bundled.code, (await bundle(officialClient)).code].map((code) => ({
      bytes: code.length,
      gzipped: gzipSync(code).length,
    })) as [Size, Size]
    expect(ours.bytes - official.bytes).toBeLessThan(41_000)
    expect(ours.gzipped - official.gzipped).toBeLessThan(14_000)
  })
})

interface Size {
  readonly bytes: number
  readonly gzipped: number
}
