// An MCP App in a frame with an origin of its own. The page and the App exchange JSON-RPC by postMessage.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Connection, patience } from '../state/connection.js'
import { describeError } from '../state/errors.js'
import { page } from '../state/settings.js'
import { textOf } from './text-of.js'

interface Props {
  readonly connection: Connection
  readonly uri: string
  readonly args: unknown
  readonly result: unknown
}

interface AppMessage {
  readonly jsonrpc?: string
  readonly id?: string | number
  readonly method?: string
  readonly params?: Record<string, unknown>
}

interface AppResource {
  readonly text?: string
  readonly _meta?: { readonly ui?: { readonly csp?: Readonly<Record<string, readonly string[]>> } }
}

const minHeight = 80
const maxHeight = 900

export function AppFrame({ connection, uri, args, result }: Props) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [source, setSource] = useState<{ html: string; src: string } | null>(null)
  const [error, setError] = useState('')
  const [height, setHeight] = useState(120)
  const [said, setSaid] = useState<readonly string[]>([])

  useEffect(() => {
    let isGone = false
    const load = async (): Promise<void> => {
      try {
        const found = await readApp(connection, uri)
        if (!isGone) setSource(found)
      } catch (problem) {
        if (!isGone) setError(describeError(problem))
      }
    }
    void load()
    return () => {
      isGone = true
    }
  }, [connection, uri])

  // Before the browser draws the frame: the document of the App sends its first message once, as soon as it is loaded.
  useLayoutEffect(() => {
    if (source === null) return undefined
    const send = (message: object): void =>
      // The App's origin is opaque, so that it has no name to send to.
      frame.current?.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*')
    const say = (text: string): void => setSaid((lines) => [...lines.slice(-19), text.slice(0, 500)])
    const receive = async ({ source: sender, data }: MessageEvent<unknown>): Promise<void> => {
      if (sender !== frame.current?.contentWindow || typeof data !== 'object' || data === null) return
      if ('ready' in data) {
        frame.current?.contentWindow?.postMessage({ html: source.html }, '*')
        return
      }
      const { jsonrpc, id, method, params = {} } = data as AppMessage
      if (jsonrpc !== '2.0' || typeof method !== 'string') return
      if (id === undefined) {
        if (method === 'ui/notifications/initialized') {
          send({ method: 'ui/notifications/tool-input', params: { arguments: args } })
          send({ method: 'ui/notifications/tool-result', params: result })
        } else if (method === 'ui/notifications/size-changed') {
          const wanted = Number(params['height'])
          if (Number.isFinite(wanted)) setHeight(Math.min(Math.max(wanted, minHeight), maxHeight))
        } else if (method === 'notifications/message') say(`log: ${textOf(params['data'])}`)
        return
      }
      try {
        send({ id, result: await answer(connection, method, params, say) })
      } catch (problem) {
        send({ id, error: { code: -32_603, message: describeError(problem) } })
      }
    }
    const listener = (event: MessageEvent<unknown>): void => void receive(event)
    addEventListener('message', listener)
    return () => removeEventListener('message', listener)
  }, [source, connection, args, result])

  return (
    <section class="app" aria-label="MCP App">
      <h4>
        App <code class="uri">{uri}</code>
      </h4>
      {error === '' ? null : (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {source === null ? null : (
        <iframe
          ref={frame}
          class="app-frame"
          title={`MCP App ${uri}`}
          sandbox="allow-scripts allow-forms"
          referrerpolicy="no-referrer"
          src={source.src}
          style={{ height: `${height}px` }}
        />
      )}
      {said.length === 0 ? null : (
        <ul class="logs" aria-label="Requests of the App">
          {said.map((line, index) => (
            <li key={index}>{line}</li>
          ))}
        </ul>
      )}
    </section>
  )
}

async function readApp({ client }: Connection, uri: string): Promise<{ html: string; src: string }> {
  if (client === null) throw new Error('Not connected')
  const { contents } = await client.readResource({ uri }, patience)
  const [resource] = contents as AppResource[]
  if (typeof resource?.text !== 'string') throw new Error('The resource has no text.')
  return { html: resource.text, src: `${page.base}/app?${policyQuery(resource)}` }
}

/** The origins that the resource declares, for the policy of the App's document. */
function policyQuery({ _meta }: AppResource): string {
  const { connectDomains, resourceDomains, frameDomains, baseUriDomains } = _meta?.ui?.csp ?? {}
  const named = { connect: connectDomains, resource: resourceDomains, frame: frameDomains, base: baseUriDomains }
  const query = new URLSearchParams()
  for (const [name, domains] of Object.entries(named)) {
    if (Array.isArray(domains) && domains.length > 0) query.set(name, domains.join(' '))
  }
  return query.toString()
}

/** Rejects calls of tools that are for the model only. */
function requireVisible({ lists }: Connection, name: unknown): void {
  const tool = lists.value.tools.find((each) => each.name === name)
  const ui = tool?._meta?.['ui'] as { readonly visibility?: unknown } | undefined
  if (Array.isArray(ui?.visibility) && !ui.visibility.includes('app')) throw new Error('This tool is not for Apps')
}

async function answer(
  connection: Connection,
  method: string,
  params: Record<string, unknown>,
  say: (text: string) => void,
): Promise<unknown> {
  const { client } = connection
  if (client === null) throw new Error('Not connected')
  switch (method) {
    case 'ui/initialize':
      return {
        protocolVersion: params['protocolVersion'],
        hostInfo: { name: 'toolwright-inspector', version: '1.0.0' },
        hostCapabilities: { serverTools: {}, serverResources: {}, logging: {} },
        hostContext: { theme: currentTheme(), displayMode: 'inline', availableDisplayModes: ['inline'] },
      }
    case 'ping':
      return {}
    case 'tools/call':
      say(`tools/call ${textOf(params['name'])}`)
      requireVisible(connection, params['name'])
      return client.callTool(params as never, patience)
    case 'resources/read':
      say(`resources/read ${textOf(params['uri'])}`)
      return client.readResource(params as never, patience)
    case 'ui/message':
      say(`ui/message ${textOf(params['content'])}`)
      return {}
    case 'ui/open-link':
      say(`ui/open-link ${textOf(params['url'])}: not opened`)
      throw new Error('The inspector does not open links of Apps')
    default:
      throw new Error(`Method not found: ${method}`)
  }
}

function currentTheme(): 'light' | 'dark' {
  const { theme } = document.documentElement.dataset
  if (theme === 'light' || theme === 'dark') return theme
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}
