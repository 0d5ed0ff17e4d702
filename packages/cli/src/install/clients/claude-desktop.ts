import { type Client, type HttpServer, optional } from '../client.js'
import { inAppData } from '../paths.js'

export const claudeDesktop: Client = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  docs: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
  format: 'json',
  container: 'mcpServers',
  files: { user: (machine) => inAppData(machine, 'Claude', 'claude_desktop_config.json') },
  traces: (machine) => [inAppData(machine, 'Claude')],
  http: bridge,
  stdio: ({ command, args, env }) => ({ command, args, ...optional('env', env) }),
  next: 'Quit and start Claude Desktop.',
}

/**
 * Calls a URL through `mcp-remote`, because the configuration can only contain programs. Headers are passed in
 * variables: on Windows, the client does not escape spaces in arguments.
 *
 * @see https://github.com/geelen/mcp-remote#readme
 */
function bridge({ url, headers }: HttpServer): object {
  const entries = Object.entries(headers).map(([name, value], index) => ({
    name,
    value,
    variable: `HEADER_${index + 1}`,
  }))
  const { protocol, hostname } = new URL(url)
  const isPlain = protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return {
    command: 'npx',
    args: [
      '-y',
      'mcp-remote',
      url,
      ...(isPlain ? ['--allow-http'] : []),
      ...entries.flatMap(({ name, variable }) => ['--header', `${name}:\${${variable}}`]),
    ],
    ...optional('env', Object.fromEntries(entries.map(({ variable, value }) => [variable, value]))),
  }
}
