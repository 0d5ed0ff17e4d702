import { type Client, optional } from '../client.js'
import { inFolderOf, inHome, inProject } from '../paths.js'

export const claudeCode: Client = {
  id: 'claude-code',
  title: 'Claude Code',
  docs: 'https://code.claude.com/docs/en/mcp',
  format: 'json',
  container: 'mcpServers',
  files: {
    // The variable `CLAUDE_CONFIG_DIR` names another folder for the file.
    user: (machine) => inFolderOf(machine, 'CLAUDE_CONFIG_DIR', '', '.claude.json'),
    project: (machine) => inProject(machine, '.mcp.json'),
  },
  traces: (machine) => [inHome(machine, '.claude.json'), inFolderOf(machine, 'CLAUDE_CONFIG_DIR', '.claude')],
  http: ({ url, headers }) => ({ type: 'http', url, ...optional('headers', headers) }),
  stdio: ({ command, args, env }) => ({ type: 'stdio', command, args, ...optional('env', env) }),
  // Docs: "native Windows (not WSL)" needs the wrapper `cmd /c`.
  needsExecutable: true,
  next: 'Start a new session of Claude Code; /mcp shows the server.',
  projectNote: 'Each user must approve the server before its first use.',
}
