import { type Client, optional } from '../client.js'
import { inHome } from '../paths.js'

export const windsurf: Client = {
  id: 'windsurf',
  title: 'Windsurf',
  docs: 'https://docs.windsurf.com/windsurf/cascade/mcp',
  format: 'json',
  container: 'mcpServers',
  files: { user: (machine) => inHome(machine, '.codeium', 'windsurf', 'mcp_config.json') },
  traces: (machine) => [inHome(machine, '.codeium', 'windsurf')],
  http: ({ url, headers }) => ({ serverUrl: url, ...optional('headers', headers) }),
  stdio: ({ command, args, env }) => ({ command, args, ...optional('env', env) }),
  next: 'Refresh the list of MCP servers in Windsurf.',
}
