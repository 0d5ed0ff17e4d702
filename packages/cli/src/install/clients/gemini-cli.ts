import { type Client, optional } from '../client.js'
import { inHome, inProject } from '../paths.js'

export const geminiCli: Client = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  docs: 'https://geminicli.com/docs/tools/mcp-server',
  format: 'json',
  container: 'mcpServers',
  files: {
    user: (machine) => inHome(machine, '.gemini', 'settings.json'),
    project: (machine) => inProject(machine, '.gemini', 'settings.json'),
  },
  traces: (machine) => [inHome(machine, '.gemini')],
  // In this client, `url` means an endpoint of HTTP+SSE.
  http: ({ url, headers }) => ({ httpUrl: url, ...optional('headers', headers) }),
  stdio: ({ command, args, env }) => ({ command, args, ...optional('env', env) }),
  next: 'Restart Gemini CLI; /mcp shows the server.',
}
