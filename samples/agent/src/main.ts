import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { stripVTControlCharacters } from 'node:util'
import {
  apiKeys,
  createServer,
  type HostOptions,
  serve,
  serveStdio,
} from 'toolwright'
import { AgentError, ask, type RequestedCall } from './agent/ask.js'
import { ollamaModel } from './agent/ollama-model.js'
import { config } from './config.js'

const options = {
  name: 'agent',
  version: '1.0.0',
  title: 'Meeting rooms',
  scan: new URL('./tools/', import.meta.url),
} satisfies HostOptions

/** The user of this program, for whom the agent acts. */
const user = { subject: userInfo().username, roles: config.ROLES }

const question = process.argv.slice(2).join(' ')

// Serves the same tools to MCP clients and to the model of the agent.
if (process.argv.includes('--stdio'))
  await serveStdio(options, { principal: user })
else if (question === '' || question.startsWith('--')) await serveClients()
else await answer()

async function serveClients(): Promise<void> {
  const key = config.API_KEY ?? randomBytes(24).toString('base64url')
  if (config.API_KEY === undefined)
    process.stderr.write(
      `Clients act for you with the header x-api-key: ${key}\n\n`,
    )
  await serve({
    ...options,
    authentication: apiKeys({ keys: [{ key, ...user }] }),
  })
}

async function answer(): Promise<void> {
  const server = await createServer(options)
  try {
    const text = await ask(question, {
      server,
      model: ollamaModel(config.OLLAMA_URL, config.OLLAMA_MODEL),
      principal: user,
      maxSteps: config.MAX_STEPS,
      approve,
      // Standard output is for the answer only.
      onCall: ({ name, args, result }) =>
        process.stderr.write(`${name} ${JSON.stringify(args)}\n  ${result}\n`),
    })
    process.stdout.write(`${stripVTControlCharacters(text)}\n`)
  } catch (error) {
    if (!(error instanceof AgentError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  } finally {
    await server.close()
  }
}

/** Asks in the terminal. Without a terminal, destructive tools do not run. */
async function approve({ name, args }: RequestedCall): Promise<boolean> {
  const { stdin: input, stderr: output } = process
  if (!input.isTTY) return false
  const terminal = createInterface({ input, output })
  const typed = await terminal.question(
    `Run ${name} ${JSON.stringify(args)}? (y/N) `,
  )
  terminal.close()
  return typed === 'y'
}
