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

export interface Started {
  readonly tools: readonly { readonly name: string; readonly description?: string }[]
  readonly hasFeatures: boolean
}

/**
 * Starts a server as a client does: with the variables of its entry, and in another folder than the project.
 *
 * @throws CommandError with the output of the server if it does not start.
 */
export async function startOnce({ command, args, env }: StdioServer): Promise<Started> {
  const transport = new StdioClientTransport({ command, args: [...args], env, cwd: homedir(), stderr: 'pipe' })
  const errorOutput = readErrorOutput(transport.stderr)
  try {
    const client = await connect(transport, { timeoutMs, reconnect: false })
    const { tools: capability, prompts, resources } = client.capabilities
    const tools = capability === undefined ? [] : (await client.listTools({ timeoutMs })).tools
    await client.close()
    return { tools, hasFeatures: tools.length > 0 || prompts !== undefined || resources !== undefined }
  } catch (error) {
    const printed = await errorOutput.text()
    throw new CommandError([describe(error), ...(printed === '' ? [] : [printed])].join('\n\n'), exitCodes.unreachable)
  }
}

/**
 * Starts a server before its entry is written.
 *
 * @param folder Folder of the project, whose `.env.example` names the variables of the server.
 * @returns A note for the user; `null` if the server has features.
 * @throws CommandError if the server does not start.
 */
export async function tryServer(server: StdioServer, folder: string): Promise<string | null> {
  try {
    const { hasFeatures } = await startOnce(server)
    if (hasFeatures) return null
    return 'The server started, but lists no tools to this client. `toolwright explain` shows the reasons.'
  } catch (error) {
    const missing = missingVariables(folder, server.env)
    const advice =
      missing.length === 0 ? '' : `Pass its variables: ${missing.map((name) => `--env ${name}=…`).join(' ')}`
    throw new CommandError(
      [
        `The server did not start, so nothing was written: ${(error as Error).message}`,
        advice,
        'To write the entry all the same, add --no-start.',
      ]
        .filter((line) => line !== '')
        .join('\n\n'),
      exitCodes.unreachable,
    )
  }
}

function missingVariables(folder: string, env: StdioServer['env']): readonly string[] {
  const file = join(folder, '.env.example')
  if (!existsSync(file)) return []
  return Object.keys(parseEnv(readFileSync(file, 'utf8'))).filter((name) => !Object.hasOwn(env, name))
}
