import type { CredentialsHeader } from '../security/credentials-header.js'

interface Endpoint {
  readonly name: string
  readonly url: string
  readonly header: CredentialsHeader | null
}

export interface ClientGuide {
  readonly client: string
  /** Instruction that precedes {@link text}. */
  readonly hint: string
  /** Text to copy: a command, a configuration or the URL. `null` if there is nothing to copy. */
  readonly text: string | null
  readonly link?: string
}

/**
 * Returns the instructions for each client.
 *
 * @see https://code.claude.com/docs/en/mcp
 * @see https://support.claude.com/en/articles/11175166
 * @see https://cursor.com/docs/context/mcp/install-links
 * @see https://code.visualstudio.com/api/extension-guides/ai/mcp#mcp-url-handler
 * @see https://developers.openai.com/codex/mcp
 * @see https://geminicli.com/docs/tools/mcp-server
 * @see https://developers.openai.com/apps-sdk/deploy/connect-chatgpt
 */
export function clientGuides({ name, url, header }: Endpoint): readonly ClientGuide[] {
  const headers = header === null ? {} : { headers: { [header.name]: header.value } }
  const flag = header === null ? '' : ` --header "${header.name}: ${header.value}"`
  const vscode = { name, type: 'http', url, ...headers }
  return [
    {
      client: 'Claude Code',
      hint: 'Run in a terminal:',
      text: `claude mcp add --transport http ${name} ${quote(url)}${flag}`,
    },
    guideForClaudeDesktop({ name, url, header }),
    {
      client: 'Cursor',
      hint: 'Or add to ~/.cursor/mcp.json:',
      text: json({ mcpServers: { [name]: { url, ...headers } } }),
      link: `cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${encodeURIComponent(toBase64({ url, ...headers }))}`,
    },
    {
      client: 'VS Code',
      hint: 'Or add to .vscode/mcp.json:',
      text: json({ servers: { [name]: { type: 'http', url, ...headers } } }),
      link: `vscode:mcp/install?${encodeURIComponent(JSON.stringify(vscode))}`,
    },
    header === null
      ? { client: 'Codex', hint: 'Run in a terminal:', text: `codex mcp add ${name} --url ${quote(url)}` }
      : {
          client: 'Codex',
          hint: 'Add to ~/.codex/config.toml:',
          text: `[mcp_servers.${name}]\nurl = "${url}"\nhttp_headers = { "${header.name}" = "${header.value}" }`,
        },
    {
      client: 'Gemini CLI',
      hint: 'Run in a terminal:',
      text: `gemini mcp add --transport http ${name} ${quote(url)}${flag}`,
    },
    guideForChatGpt({ url, header }),
  ]
}

function guideForClaudeDesktop({ name, url, header }: Endpoint): ClientGuide {
  const client = 'Claude Desktop'
  if (isPublic(url) && header === null) {
    return { client, hint: 'Settings, Connectors, Add custom connector. Paste the URL:', text: url }
  }
  // The header stands in a variable: on Windows, the client does not escape spaces in arguments.
  const args = ['-y', 'mcp-remote', url, ...(header === null ? [] : ['--header', `${header.name}:\${HEADER_1}`])]
  const server = { command: 'npx', args, ...(header === null ? {} : { env: { HEADER_1: header.value } }) }
  const hint = 'Settings, Developer, Edit Config. Add to claude_desktop_config.json, and restart:'
  return { client, hint, text: json({ mcpServers: { [name]: server } }) }
}

function guideForChatGpt({ url, header }: Omit<Endpoint, 'name'>): ClientGuide {
  const client = 'ChatGPT'
  if (header !== null) {
    return {
      client,
      hint: `ChatGPT cannot send the header ${header.name}. It needs a server with a login.`,
      text: null,
    }
  }
  return isPublic(url)
    ? { client, hint: 'Settings, Connectors, Create (needs developer mode). Paste the URL:', text: url }
    : {
        client,
        hint: 'ChatGPT calls public https URLs only. Publish the server first, then open this page at its public URL.',
        text: null,
      }
}

function isPublic(url: string): boolean {
  return url.startsWith('https:')
}

export function entryName(name: string): string {
  const plain = name.replace(/[^a-zA-Z0-9_-]+/g, '-').slice(0, 64)
  return plain.replace(/^[-_]+|[-_]+$/g, '') || 'server'
}

/**
 * Quotes a URL if it has characters with a special meaning in a shell. Only a configured URL can have such characters.
 */
function quote(url: string): string {
  return /^[\w./:@~%[\]-]+$/.test(url) ? url : `'${url.replaceAll("'", '%27')}'`
}

function json(value: object): string {
  return JSON.stringify(value, null, 2)
}

function toBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}
