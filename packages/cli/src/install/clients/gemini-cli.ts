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
  // Uses `httpUrl`, because `url` means an endpoint of HTTP+SSE in this client.
  http: ({ url, headers }) => ({ httpUrl: url, ...optional('headers', headers) }),
  stdio: ({ command, args, env }) => ({ command, args, ...optional('env', env) }),
  next: 'Restart Gemini CLI; /mcp shows the server.',
}
