import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'

export const root = join(__dirname, '..', '..')

/** Path of the site at its public address. */
export const base = '/toolwright/'

/** The site in a temporary folder, as `npm run docs:build` writes it. */
export class BuiltSite {
  private constructor(readonly folder: string) {}

  static async build(): Promise<BuiltSite> {
    const folder = mkdtempSync(join(tmpdir(), 'site-'))
    const program = join(root, 'node_modules', 'vitepress', 'bin', 'vitepress.js')
    const { NODE_ENV: _, NODE_OPTIONS: __, ...env } = process.env
    const site = new BuiltSite(folder)
    try {
      await promisify(execFile)(process.execPath, [program, 'build', 'docs', '--outDir', folder], { cwd: root, env })
      return site
    } catch (error) {
      site.remove()
      throw error
    }
  }

  /** Paths of its files, relative to its folder. */
  files(suffix: string): readonly string[] {
    const names = readdirSync(this.folder, { recursive: true, encoding: 'utf8' })
    return names.map((name) => name.replaceAll('\\', '/')).filter((name) => name.endsWith(suffix))
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8')
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }

  /** Serves it like a static host, which finds `guide.html` for `/guide`. */
  async serve(): Promise<{ readonly url: string; close(): Promise<void> }> {
    const known = new Set(this.files(''))
    const server = createServer(({ url = '' }, response) => {
      const path = decodeURIComponent(new URL(url, 'http://localhost').pathname).slice(base.length)
      const file = [path, `${path}.html`, join(path, 'index.html')].find((name) => known.has(name) && extname(name))
      const type = types[extname(file ?? '')] ?? 'application/octet-stream'
      response.writeHead(file === undefined ? 404 : 200, { 'content-type': type })
      response.end(readFileSync(join(this.folder, file ?? '404.html')))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}${base}`,
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        }),
    }
  }
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}
