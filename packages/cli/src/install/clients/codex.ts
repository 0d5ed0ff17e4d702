import { type Client, optional } from '../client.js'
import { inFolderOf, inProject } from '../paths.js'

export const codex: Client = {
  id: 'codex',
  title: 'Codex',
  docs: 'https://developers.openai.com/codex/mcp',
  format: 'toml',
  container: 'mcp_servers',
  files: {
    user: (machine) => inFolderOf(machine, 'CODEX_HOME', '.codex', 'config.toml'),
    project: (machine) => inProject(machine, '.codex', 'config.toml'),
  },
  traces: (machine) => [inFolderOf(machine, 'CODEX_HOME', '.codex')],
  http: ({ url, headers }) => ({ url, ...optional('http_headers', headers) }),
  stdio: ({ command, args, env }) => ({ command, args, ...optional('env', env) }),
  next: 'Start a new session of Codex; /mcp shows the server.',
  projectNote: 'Codex reads the file only in projects that the user trusts.',
}
