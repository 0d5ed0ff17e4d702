import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { connect } from '@toolwright/client'
import { readErrorOutput } from '../client/error-output.js'
import { describe } from '../client/failure.js'
import { CommandError, exitCodes } from '../command-error.js'
import type { StdioServer } from './client.js'

/** Milliseconds until a command must have answered. `npx` may have to install the server first. */
const timeoutMs = 60_000

/**
 * Starts a server as a client does: with the variables of its entry, and in another folder than the project.
 *
 * @param folder Folder of the project, whose `.env.example` names the variables of the server.
 * @returns A note for the user; `null` if the server has features.
 * @throws CommandError if the server does not start.
 */
export async function tryServer({ command, args, env }: StdioServer, folder: string): Promise<string | null> {
  const transport = new StdioClientTransport({ command, args: [...args], env, cwd: homedir(), stderr: 'pipe' })
  const errorOutput = readErrorOutput(transport.stderr)
  try {
    const client = await connect(transport, { timeoutMs, reconnect: false })
    const { tools, prompts, resources } = client.capabilities
    const listed = tools === undefined ? [] : (await client.listTools({ timeoutMs })).tools
    await client.close()
    if (listed.length > 0 || prompts !== undefined || resources !== undefined) return null
    return 'The server started, but lists no tools to this client. `toolwright explain` shows the reasons.'
  } catch (error) {
    const printed = await errorOutput.text()
    const missing = missingVariables(folder, env)
    const advice =
      missing.length === 0 ? '' : `Pass its variables: ${missing.map((name) => `--env ${name}=…`).join(' ')}`
    throw new CommandError(
      [
        `The server did not start, so nothing was written: ${describe(error)}`,
        printed,
        advice,
        'To write the entry all the same, add --no-start.',
      ]
        .filter((line) => line !== '')
        .join('\n\n'),
      exitCodes.unreachable,
    )
  }
}

/** Returns the variables of `.env.example` that the entry lacks. */
function missingVariables(folder: string, env: StdioServer['env']): readonly string[] {
  const file = join(folder, '.env.example')
  if (!existsSync(file)) return []
  return Object.keys(parseEnv(readFileSync(file, 'utf8'))).filter((name) => !Object.hasOwn(env, name))
}
