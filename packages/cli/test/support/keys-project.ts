import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../run-command.js'

const source = `import { apiKeys, serve } from 'toolwright'

const keys = [
  { key: process.env.WRITER_KEY ?? 'a-writer-key-with-more-than-32-letters', subject: 'writer', scopes: ['notes:read', 'notes:write'] },
  { key: 'a-reader-key-with-more-than-32-letters', subject: 'reader', scopes: ['notes:read'] },
]
await serve({
  name: 'notes',
  version: '1.0.0',
  controllers: [],
  authentication: apiKeys({ keys, header: 'x-api-key' }),
  stdio: process.env.LOCAL_USER === undefined ? undefined : { principal: { subject: process.env.LOCAL_USER } },
  onReady({ catalog }) {
    const handler = (_given, { principal }) => principal.subject + ' ' + principal.scopes.join(' ')
    catalog.addTool({ name: 'whoami', description: 'Says who calls', authorize: {}, handler })
    catalog.addTool({ name: 'write', description: 'Writes', authorize: { scopes: ['notes:write'] }, handler })
  },
})
`

/** A project whose tools need a caller with an API key. */
export class KeysProject {
  readonly folder = mkdtempSync(join(tmpdir(), 'toolwright-keys-'))
  readonly main = join(this.folder, 'src', 'main.js')

  constructor() {
    mkdirSync(join(this.folder, 'src'))
    writeFileSync(this.main, source)
    writeFileSync(join(this.folder, 'package.json'), '{"type":"module","private":true}')
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'), 'junction')
  }

  writeSettings(text: string): void {
    writeFileSync(join(this.folder, '.env'), text)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }
}
