import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { type ArgsDef, defineCommand } from 'citty'
import { CommandError, exitCodes, reportErrors, usageError } from '../command-error.js'
import { askClients, askConsent, askText, askTransport, isInteractive } from '../install/ask.js'
import { applyChange, type Change, planChange } from '../install/change.js'
import type { Machine, Server } from '../install/client.js'
import { type CommandLine, clientIds, readCommandLine, readScope } from '../install/command-line.js'
import { describeChange, summarize, toJson } from '../install/report.js'
import { checkName, commandServer, entryServer, httpServer, readEnv, suggestName } from '../install/server-arguments.js'
import { withExamples } from '../usage.js'

const args = {
  client: {
    type: 'positional',
    required: false,
    description: `One or more clients (${clientIds.join(', ')}), then the entry file. Default: the command asks for them`,
  },
  name: {
    type: 'string',
    valueHint: 'name',
    description: 'Name of the server in the configuration. Default: name of the project',
  },
  url: { type: 'string', valueHint: 'url', description: 'URL that the clients call' },
  stdio: { type: 'string', valueHint: 'command', description: 'Command that the clients start' },
  scope: {
    type: 'string',
    valueHint: 'user|project',
    description: 'Configuration of the user, or of the project in this folder. Default: user',
  },
  header: { type: 'string', valueHint: 'name: value', description: 'HTTP header that the clients send; repeatable' },
  env: { type: 'string', valueHint: 'NAME=value', description: 'Environment variable of the command; repeatable' },
  remove: { type: 'boolean', description: 'Remove the server from the configuration' },
  'dry-run': { type: 'boolean', description: 'Show the changes without writing them' },
  yes: { type: 'boolean', alias: 'y', description: 'Write without asking' },
  json: { type: 'boolean', description: 'Print the changes as JSON' },
  start: {
    type: 'boolean',
    default: true,
    negativeDescription: 'Write the entry of a command without starting it first',
  },
} as const satisfies ArgsDef

export const install = withExamples(
  defineCommand({
    meta: { name: 'install', description: 'Add a server to the configuration of clients' },
    args,
    run: ({ rawArgs }) => reportErrors(() => installServer(rawArgs)),
  }),
  [
    ['toolwright install', 'Ask for the clients, the transport and the name'],
    ['toolwright install claude-desktop dist/main.js', 'Let Claude Desktop start the compiled program'],
    ['toolwright install cursor vscode --url http://127.0.0.1:3000/mcp', 'Let Cursor and VS Code call a URL'],
    ['toolwright install claude-code --scope project --yes', 'Write .mcp.json of the project without asking'],
    ['toolwright install cursor --remove', 'Remove the server from Cursor'],
  ],
)

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

async function installServer(rawArgs: readonly string[]): Promise<void> {
  const line = readCommandLine(rawArgs)
  const { flags } = line
  const machine: Machine = {
    platform: process.platform,
    env: process.env,
    home: homedir(),
    folder: process.cwd(),
    listFolder,
  }
  const scope = readScope(flags.scope)
  const mayAsk = isInteractive() && !flags.json
  if (line.clients.length === 0 && !mayAsk) throw usageError(`Give the clients: ${clientIds.join(', ')}.`)
  const chosen = line.clients.length === 0 ? await askClients(machine) : line.clients
  const server = flags.remove ? null : await chooseServer(line, machine, mayAsk)
  const url = server !== null && 'url' in server ? server.url : flags.url
  const name = checkName(flags.name ?? (await chooseName(suggestName(machine.folder, url), line, mayAsk)))
  const changes = planAll(chosen.map((client) => ({ client, scope, machine, name, server })))
  const pending = changes.filter(({ before, after }) => before !== after)
  if (!flags.json) process.stdout.write(`${mayAsk ? '\n' : ''}${changes.map(describeChange).join('')}`)
  if (pending.length > 0 && !flags['dry-run'] && !flags.yes) {
    if (!mayAsk) throw usageError('Nothing was written. Give --yes to write, or --dry-run to only show the changes.')
    if (!(await askConsent('Write these changes?'))) throw new CommandError('Nothing was changed.', exitCodes.cancelled)
  }
  const written = flags['dry-run'] ? [] : pending
  const mayStart = server !== null && 'command' in server && written.length > 0 && !flags['no-start']
  const note = mayStart ? await (await import('../install/try-server.js')).tryServer(server, machine.folder) : null
  const backups = new Map<Change, string | null>()
  // oxlint-disable-next-line no-await-in-loop -- one file after the other, so that an error leaves no change half-reported
  for (const change of written) backups.set(change, await applyChange(change))
  process.stdout.write(
    flags.json
      ? `${JSON.stringify(toJson(changes, backups, name, flags['dry-run']), null, 2)}\n`
      : summarize(written, backups, flags['dry-run']),
  )
  if (note !== null) process.stderr.write(`${note}\n`)
}

async function chooseServer({ flags, entry }: CommandLine, { folder }: Machine, mayAsk: boolean): Promise<Server> {
  const env = readEnv(flags.env)
  if (flags.url !== undefined) return httpServer(flags.url, flags.header)
  if (flags.stdio !== undefined) return commandServer(folder, flags.stdio, env)
  if (entry !== undefined || !mayAsk) return entryServer(folder, entry, env)
  if ((await askTransport()) === 'stdio') return entryServer(folder, undefined, env)
  return httpServer(await askText('URL of the server', 'http://127.0.0.1:3000/mcp'), flags.header)
}

async function chooseName(suggested: string, { clients: given }: CommandLine, mayAsk: boolean): Promise<string> {
  // If the command line names the clients, nothing is asked.
  return mayAsk && given.length === 0 ? askText('Name of the server', suggested) : suggested
}

/** Plans all changes before the first change is written. @throws CommandError that lists every broken file. */
function planAll(actions: readonly Parameters<typeof planChange>[0][]): readonly Change[] {
  const errors: string[] = []
  const changes = actions.flatMap((action) => {
    try {
      return [planChange(action)]
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      errors.push(error.message)
      return []
    }
  })
  if (errors.length > 0) throw new CommandError(errors.join('\n'))
  return changes
}
