import { type Client, optional } from '../client.js'
import { inHome, inProject } from '../paths.js'

export const cursor: Client = {
  id: 'cursor',
  title: 'Cursor',
  docs: 'https://cursor.com/docs/mcp',
  format: 'json',
  container: 'mcpServers',
  files: {
    user: (machine) => inHome(machine, '.cursor', 'mcp.json'),
    project: (machine) => inProject(machine, '.cursor', 'mcp.json'),
  },
  traces: (machine) => [inHome(machine, '.cursor')],
  http: ({ url, headers }) => ({ url, ...optional('headers', headers) }),
  stdio: ({ command, args, env }) => ({ type: 'stdio', command, args, ...optional('env', env) }),
  next: 'Restart Cursor, and enable the server in the MCP settings of Cursor.',
}
