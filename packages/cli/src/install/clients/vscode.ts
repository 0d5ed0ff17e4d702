import { type Client, optional } from '../client.js'
import { inAppData, inProject } from '../paths.js'

export const vscode: Client = {
  id: 'vscode',
  title: 'VS Code',
  docs: 'https://code.visualstudio.com/docs/agents/reference/mcp-configuration',
  format: 'json',
  container: 'servers',
  files: {
    // The file of the default profile.
    user: (machine) => inAppData(machine, 'Code', 'User', 'mcp.json'),
    project: (machine) => inProject(machine, '.vscode', 'mcp.json'),
  },
  traces: (machine) => [inAppData(machine, 'Code')],
  http: ({ url, headers }) => ({ type: 'http', url, ...optional('headers', headers) }),
  stdio: ({ command, args, env }) => ({ type: 'stdio', command, args, ...optional('env', env) }),
  next: 'Run "MCP: List Servers" in VS Code, and start the server.',
}
