// A host of MCP Apps with a minimal browser for the page. Spec: MCP Apps, "Communication Protocol".
import { setImmediate as nextTurn } from 'node:timers/promises'
import { JSDOM } from 'jsdom'

interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: number | string
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: unknown
}

/** The state of a page, for its host and its user. */
export interface OpenPage {
  /** Parameters of the page's initialize request. */
  readonly initialized: unknown
  text(selector: string): string | undefined
  texts(selector: string): readonly string[]
  /** Acts like a user, and waits until the page has handled it. */
  choose(selector: string, value: string): Promise<void>
  notify(method: string, params: unknown): void
  /** Sends a message from a window other than the host's. */
  notifyFromElsewhere(method: string, params: unknown): void
  request(method: string, params: unknown): Promise<unknown>
  close(): void
}

type CallTool = (name: string, args: Record<string, unknown>) => Promise<unknown>

/** Opens a page, and completes its handshake. Its calls are sent to the server. */
export async function openPage(html: string, callTool: CallTool): Promise<OpenPage> {
  const host = new JSDOM().window
  const received: Message[] = []
  const page = new JSDOM(html, {
    runScripts: 'dangerously',
    beforeParse: (window) => Object.defineProperty(window, 'parent', { value: host }),
  }).window
  const deliver = (data: object, source: unknown = host): void => {
    const message = { jsonrpc: '2.0', ...data }
    page.dispatchEvent(new page.MessageEvent('message', { data: message, source: source as Window }))
  }
  host.addEventListener('message', ({ data }) => {
    received.push(data as Message)
    const { id, method, params } = data as Message
    if (method !== 'tools/call') return
    callTool(String(params?.['name']), params?.['arguments'] as Record<string, unknown>).then(
      (result) => deliver({ id, result }),
      (error: Error) => deliver({ id, error: { code: -32603, message: error.message } }),
    )
  })
  const take = async (matches: (message: Message) => boolean): Promise<Message> => {
    for (;;) {
      const index = received.findIndex(matches)
      if (index !== -1) return received.splice(index, 1)[0] as Message
      // oxlint-disable-next-line no-await-in-loop
      await nextTurn()
    }
  }
  const texts = (selector: string): readonly string[] =>
    [...page.document.querySelectorAll(selector)].map((element) => element.textContent ?? '')

  const { id, params: initialized } = await take(({ method }) => method === 'ui/initialize')
  deliver({
    id,
    result: { protocolVersion: '2026-01-26', hostInfo: {}, hostCapabilities: {}, hostContext: { theme: 'dark' } },
  })
  await take(({ method }) => method === 'ui/notifications/initialized')
  return {
    initialized,
    text: (selector) => texts(selector)[0],
    texts,
    choose: async (selector, value) => {
      const select = page.document.querySelector(selector) as HTMLSelectElement
      select.value = value
      const before = page.document.body.textContent
      select.dispatchEvent(new page.Event('change'))
      while (page.document.body.textContent === before) {
        // oxlint-disable-next-line no-await-in-loop
        await nextTurn()
      }
    },
    notify: (method, params) => deliver({ method, params }),
    notifyFromElsewhere: (method, params) => deliver({ method, params }, new JSDOM().window),
    request: async (method, params) => {
      deliver({ id: 'host', method, params })
      const { result, error } = await take((message) => message.id === 'host' && message.method === undefined)
      return error === undefined ? { result } : { error }
    },
    close: () => {
      page.close()
      host.close()
    },
  }
}
