import { type Client, type HttpServer, type Machine, optional } from '../client.js'
import { inAppData, inLocalAppData } from '../paths.js'

export const claudeDesktop: Client = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  docs: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
  format: 'json',
  container: 'mcpServers',
  files: { user: (machine) => inClaudeFolder(machine, 'claude_desktop_config.json') },
  traces: (machine) => [inClaudeFolder(machine)],
  http: bridge,
  stdio: ({ command, args, env }) => ({ command, args, ...optional('env', env) }),
  next: 'Quit and start Claude Desktop.',
}

/**
 * Returns a path in the folder of the application. The Windows installer of 2026 is a package (MSIX), which reads its own
 * copy of the folder and never `%APPDATA%`.
 *
 * @see https://github.com/anthropics/claude-code/issues/26073
 */
function inClaudeFolder(machine: Machine, ...parts: readonly string[]): string {
  const packages = machine.platform === 'win32' ? machine.listFolder(inLocalAppData(machine, 'Packages')) : []
  const ofClaude = packages.find((name) => name.startsWith('Claude_'))
  return ofClaude === undefined
    ? inAppData(machine, 'Claude', ...parts)
    : inLocalAppData(machine, 'Packages', ofClaude, 'LocalCache', 'Roaming', 'Claude', ...parts)
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
