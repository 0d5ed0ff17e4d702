import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const root = join(__dirname, '..', '..', '..')

/** Bundles a page that calls typed tools, from the compiled packages. */
async function bundlePage() {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `
        import type { ShopTools } from './support/shop-tools.js'
        import { connect } from '@toolwright/client'
        const client = await connect(location.origin + '/mcp')
        document.title = String(await client.tools<ShopTools>().countArticles())
      `,
      loader: 'ts',
      resolveDir: __dirname,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    write: false,
    absWorkingDir: root,
  })
  const [output] = Object.values(metafile.outputs)
  const used = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return { code: outputFiles[0]?.contents ?? new Uint8Array(), files: used.map(([file]) => file) }
}

describe('a bundle for browsers', () => {
  let bundle: Awaited<ReturnType<typeof bundlePage>>

  beforeAll(async () => {
    bundle = await bundlePage()
  })

  test('has no code of a server, of Node or of the class', () => {
    const own = bundle.files.filter((file) => !file.includes('node_modules/'))
    expect(own.filter((file) => file.startsWith('packages/core/'))).toEqual([
      'packages/core/dist/catalog/define/wire-name.js',
      'packages/core/dist/errors/nearest-name.js',
      'packages/core/dist/plan/result-kind.js',
      'packages/core/dist/protocol/latest-version.js',
    ])
    expect(own).toContain('packages/client/dist/platform/browser.js')
    expect(own).not.toContain('packages/client/dist/platform/node.js')
    expect(
      bundle.files.filter((file) => /node_modules\/(ws|cross-spawn|pino|ajv|typebox|tsyringe)\//.test(file)),
    ).toEqual([])
    expect(Buffer.from(bundle.code).toString()).not.toMatch(/reflect-metadata|shop-tools|node:/)
  })

  test('is not much larger than the official client', async () => {
    const bare = await build({
      stdin: {
        contents: `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
          globalThis.use = [Client, StreamableHTTPClientTransport]`,
        resolveDir: __dirname,
      },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    })
    const [ours, official] = [bundle.code, bare.outputFiles[0]?.contents ?? new Uint8Array()].map((code) => ({
      bytes: code.length,
      gzipped: gzipSync(code).length,
    })) as [Size, Size]
    expect(ours.bytes - official.bytes).toBeLessThan(40_000)
    expect(ours.gzipped - official.gzipped).toBeLessThan(14_000)
  })
})

interface Size {
  readonly bytes: number
  readonly gzipped: number
}
