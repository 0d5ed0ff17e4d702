import { randomBytes } from 'node:crypto'
import { defineCommand } from 'citty'
import { flagOf, readCommandLine, readPort, rejectRest } from '../client/flags.js'
import { readHeaders } from '../client/headers.js'
import { openInBrowser } from '../client/open-in-browser.js'
import { CommandError, reportErrors, usageError } from '../command-error.js'
import { note, print } from '../terminal.js'
import { withExamples } from '../usage.js'

const args = {
  url: { type: 'positional', required: false, description: 'URL of the MCP endpoint' },
  port: { type: 'string', valueHint: 'number', description: 'Port of the inspector (default: any free port)' },
  header: { type: 'string', valueHint: 'name: value', description: 'Send an HTTP header; repeatable' },
  bearer: { type: 'string', valueHint: 'token', description: 'Send this token (default: TOOLWRIGHT_TOKEN)' },
  open: { type: 'boolean', description: 'With --no-open, only print the address of the page', default: true },
} as const

export const inspect = withExamples(
  defineCommand({
    meta: { name: 'inspect', description: 'Open the inspector for a running server' },
    args,
    run: ({ rawArgs }) => reportErrors(() => inspectServer(rawArgs)),
  }),
  [
    ['toolwright inspect http://127.0.0.1:3000/mcp', 'the server on this machine'],
    ['toolwright inspect https://mcp.example.com/mcp --bearer TOKEN', 'a server elsewhere, with a token'],
    ['toolwright inspect http://127.0.0.1:3000/mcp --no-open --port 8080', 'print the address of the page'],
  ],
)

async function inspectServer(rawArgs: readonly string[]): Promise<void> {
  const line = readCommandLine(rawArgs, args)
  rejectRest(line, args)
  const [given, unexpected] = line.positionals
  if (unexpected !== undefined) throw usageError(`Unexpected argument '${unexpected}'. Give one URL.`)
  const url = readUrl(given)
  const port = readPort(flagOf(line.flags, 'port') ?? '0')
  // Loaded when needed, so that the help is shown at once.
  const [{ inspector }, { default: Fastify }] = await Promise.all([import('@toolwright/inspector'), import('fastify')])
  // Shutdown has to close connections by force, because the page has an open stream.
  const app = Fastify({ forceCloseConnections: true })
  const token = randomBytes(16).toString('hex')
  await app.register(inspector, { forward: { url: url.href, headers: readHeaders(line.flags) }, token })
  const address = await listen(() => app.listen({ host: '127.0.0.1', port }), port)
  // Only the user who started the command sees the token. A fragment is not sent to a server.
  const page = `${address}/inspector#token=${token}`
  await print(`Inspecting ${url.href}\n  ${page}\n`)
  note('Ctrl+C ends it.')
  if (process.stdout.isTTY && flagOf(line.flags, 'open') !== 'false') await openInBrowser(page)
  await signalled()
  await app.close()
}

function readUrl(given: string | undefined): URL {
  if (given !== undefined && URL.canParse(given) && /^https?:\/\//i.test(given)) return new URL(given)
  const found = given === undefined ? 'The URL of a server is missing' : `'${given}' is not a URL of a server`
  throw usageError(
    `${found}. Give one such as http://127.0.0.1:3000/mcp. For the project in this folder, run \`toolwright dev\`, ` +
      'which serves the inspector as well.',
  )
}

async function listen(start: () => Promise<string>, port: number): Promise<string> {
  try {
    return await start()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EADDRINUSE') throw error
    throw new CommandError(
      `Port ${port} is in use. Give another one with --port, or leave --port out to use any free port.`,
    )
  }
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}
