import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { agree } from './inspector.mjs'

/** mcp-remote, as Claude Desktop starts it. */
export class McpRemote {
  constructor({ folder, url, page }) {
    const main = join(folder, 'node_modules', 'mcp-remote', 'dist', 'proxy.js')
    Object.assign(this, { files: join(folder, 'mcp-auth'), args: [main, url], page })
  }

  async start() {
    // With these variables, it opens no browser, and only prints the address of the login.
    const env = { HOME: this.files, MCP_REMOTE_CONFIG_DIR: this.files, PATH: this.files, BROWSER: 'true' }
    const transport = new StdioClientTransport({ command: process.execPath, args: this.args, env, stderr: 'pipe' })
    let printed = ''
    transport.stderr.on('data', (text) => {
      printed += text
      const [found, address] = /visiting:\n(\S+)\n/.exec(printed) ?? []
      if (found === undefined) return
      printed = ''
      this.login = this.page.goto(address).then(() => agree(this.page))
    })
    this.client = new Client({ name: 'rehearsal', version: '1.0.0' })
    await this.client.connect(transport)
    await this.login
  }

  async call(name) {
    const { content } = await this.client.callTool({ name, arguments: {} })
    await this.login
    return content[0].text
  }

  /** After a restart of the server, it begins a new session by itself. */
  async reconnect() {}

  /** It has no command for this: users delete its files. */
  async logOut() {
    await this.stop()
    rmSync(this.files, { recursive: true })
  }

  async stop() {
    await this.client.close()
  }
}
