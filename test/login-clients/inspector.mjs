import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { inheritedVariables, readUrl, start, stop } from '../../scripts/rehearsal/run.mjs'

/** The page of the MCP Inspector, with one server in its catalog. */
export class Inspector {
  constructor({ folder, node, url, page, protocolEra }) {
    const cwd = join(folder, protocolEra)
    const catalog = join(cwd, 'catalog.json')
    mkdirSync(cwd)
    writeFileSync(catalog, JSON.stringify({ mcpServers: { notes: { type: 'http', url, protocolEra } } }))
    const main = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
    const options = { MCP_AUTO_OPEN_ENABLED: 'false', MCP_INSPECTOR_SECRET_STORE: 'file' }
    const env = { ...inheritedVariables(), HOME: cwd, ...options }
    Object.assign(this, { page, run: () => start(node, [main, '--catalog', catalog], { cwd, env }) })
  }

  async start() {
    this.program = this.run()
    await readUrl(this.program, /running at:\s+(http:\S+)/)
    await this.reconnect()
  }

  /** The user does this when the page shows that the server does not know the session. */
  async reconnect() {
    await this.page.goto('http://localhost:6274')
    await this.page.locator('input[role=switch]').click()
    await this.#until('button[aria-label="Disconnect from server"]')
  }

  async call(name) {
    await this.#until('[data-call-status=idle]', ['Close results', 'Tools'])
    await this.#press(name)
    await wait(300)
    await this.#until('button[aria-label="Close results"]', ['Execute Tool', name])
    return this.page.evaluate(() => /Results\n(.*)/.exec(document.body.innerText)?.[1])
  }

  /** Version 2.12.0 deletes its tokens, and does not revoke them. */
  async logOut() {
    await this.#press('Servers')
    await this.#until('[data-status=disconnected]', ['Clear OAuth state and disconnect', 'Connection Info'])
    await this.stop()
  }

  async stop() {
    await stop(this.program)
  }

  /** Agrees on the pages of a login and presses buttons, until an element is there. */
  async #until(selector, buttons = []) {
    for (let round = 0; round < 100; round++) {
      // The page can be left at any time.
      if (await this.page.$(selector).catch(() => null)) return
      await agree(this.page).catch(() => false)
      for (const button of ['Authorize', ...buttons]) if (await this.#press(button)) break
      await wait(200)
    }
    throw new Error(`the page shows ${await this.page.evaluate(() => document.body.innerText)}`)
  }

  /** Whether there was such a button. */
  #press(name) {
    const press = (text) => {
      const all = [...document.querySelectorAll('button:enabled, label')]
      const found = all.find((one) => (one.ariaLabel ?? one.innerText).trim() === text)
      found?.click()
      return found !== undefined
    }
    return this.page.evaluate(press, name).catch(() => false)
  }
}

/** Agrees, if the page is that of a login. */
export async function agree(page) {
  const button = await page.$('button[value=continue]')
  if (button !== null) await Promise.all([page.waitForNavigation(), button.click()])
}
