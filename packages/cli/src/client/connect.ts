import {
  Client,
  type ClientOptions,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { CommandError, exitCodes, usageError } from '../command-error.js'
import { isInteractive } from '../terminal.js'
import { version } from '../version.js'
import { readCredentials } from './credentials-file.js'
import { readErrorOutput } from './error-output.js'
import { describe } from './failure.js'
import { type Flags, flagOf, isSet } from './flags.js'
import { readHeaders } from './headers.js'
import { describeTarget, type HttpTarget, type StdioTarget, type Target } from './target.js'

/** Default of `--timeout` in milliseconds. */
const defaultTimeoutMs = 60_000

export interface Connection {
  readonly client: Client
  readonly timeoutMs: number
  /** Whether the negotiated revision is of the modern era. */
  readonly isModern: boolean
  /** The transport. Its messages can be watched. */
  readonly transport: Transport
  /** Waits for the login that a call has started because it needs more scopes. @returns Whether there was one. */
  finishLogin(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Connects the official client to a server. Starts the program of a stdio server; logs in with the browser, if the server
 * requires it and the user allows it.
 *
 * @param options Capabilities of the client, and handlers of requests.
 * @throws CommandError with exit code 2 if the server cannot be reached or started.
 */
export async function connect(
  target: Target,
  flags: Flags,
  options: ClientOptions = {},
  prepare: (client: Client) => void = () => undefined,
): Promise<Connection> {
  const timeoutMs = readTimeout(flags)
  const mode = await chooseMode(target, flags)
  const createClient = (): Client => {
    const client = new Client({ name: 'toolwright', version }, { versionNegotiation: { mode }, ...options })
    prepare(client)
    return client
  }
  const opened =
    target.kind === 'http'
      ? await connectOverHttp(target, flags, createClient, timeoutMs)
      : await connectOverStdio(target, mode, createClient, timeoutMs)
  const { client, transport, finishLogin } = opened
  // Only modern servers describe themselves.
  const isModern = client.getDiscoverResult() !== undefined
  return { client, transport, timeoutMs, isModern, finishLogin, close: opened.close }
}

function readTimeout(flags: Flags): number {
  const given = flagOf(flags, 'timeout')
  if (given === undefined) return defaultTimeoutMs
  const seconds = Number(given)
  if (seconds > 0 && seconds < 2_000_000) return Math.ceil(seconds * 1000)
  throw usageError(`--timeout is '${given}'. Give a number of seconds.`)
}

type Mode = NonNullable<ClientOptions['versionNegotiation']>['mode']

async function chooseMode(target: Target, flags: Flags): Promise<Mode> {
  const era = flagOf(flags, 'era') ?? 'auto'
  if (era === 'legacy') return 'legacy'
  if (era === 'modern') return pinNewest()
  if (era !== 'auto') throw usageError(`--era is '${era}'. Give auto, modern or legacy.`)
  // To find out the era, the client would start the program twice.
  return target.kind === 'stdio' && target.isEntry ? pinNewest() : 'auto'
}

async function pinNewest(): Promise<Mode> {
  const { supportedVersions } = await import('@toolwright/core/transport')
  return { pin: supportedVersions[0] as string }
}

type Opened = Pick<Connection, 'client' | 'transport' | 'finishLogin' | 'close'>

/**
 * The client asks a second process for its era, whose error output is lost, unless the transport is a subclass. The second
 * process is only needed for servers that might end at an unknown request.
 */
class StartedOnce extends StdioClientTransport {}

async function connectOverStdio(
  target: StdioTarget,
  mode: Mode,
  createClient: () => Client,
  timeoutMs: number,
): Promise<Opened> {
  const Transport = mode === 'auto' ? StdioClientTransport : StartedOnce
  const transport = new Transport({
    command: target.command,
    args: [...target.args],
    // A program that is started from a shell expects the environment of the shell.
    env: process.env as Record<string, string>,
    stderr: 'pipe',
  })
  const errorOutput = readErrorOutput(transport.stderr)
  const client = createClient()
  try {
    await client.connect(transport, { timeout: timeoutMs })
    return { client, transport, finishLogin: () => Promise.resolve(false), close: () => client.close() }
  } catch (error) {
    await client.close()
    const printed = await errorOutput.text()
    if (printed !== '' && target.isEntry) throw new CommandError(printed, exitCodes.unreachable)
    const reason = `Cannot connect to ${describeTarget(target)}: ${describe(error)}`
    throw new CommandError([reason, printed].filter((line) => line !== '').join('\n\n'), exitCodes.unreachable)
  }
}

async function connectOverHttp(
  { url }: HttpTarget,
  flags: Flags,
  createClient: () => Client,
  timeoutMs: number,
): Promise<Opened> {
  const headers = readHeaders(flags)
  const login = headers['authorization'] === undefined ? await prepareLogin(url, flags) : null
  const open = async (): Promise<Opened> => {
    const transport = new StreamableHTTPClientTransport(url, {
      requestInit: { headers },
      ...(login === null ? {} : { authProvider: login }),
    })
    const client = createClient()
    const finishLogin = async (): Promise<boolean> => {
      if (login?.isWaiting !== true) return false
      await transport.finishAuth(await login.waitForRedirect())
      return true
    }
    const close = async (): Promise<void> => {
      login?.close()
      await client.close()
    }
    try {
      await client.connect(transport, { timeout: timeoutMs })
      return { client, transport, finishLogin, close }
    } catch (error) {
      const hasLoggedIn = UnauthorizedError.isInstance(error) && (await finishLogin())
      await client.close()
      if (hasLoggedIn) return open()
      throw error
    }
  }
  try {
    return await open()
  } catch (error) {
    login?.close()
    throw error instanceof CommandError ? error : unreachable(url, error, headers)
  }
}

/** Prepares a login, if the user allows one, or has logged in before. Only the server's response says if it is needed. */
async function prepareLogin(url: URL, flags: Flags) {
  const isAllowed = isInteractive() || isSet(flags, 'login')
  if (!isAllowed && readCredentials(url).tokens === undefined) return null
  const { BrowserLogin } = await import('./browser-login.js')
  const opensBrowser = flagOf(flags, 'browser') !== 'false'
  return BrowserLogin.open(url, { isAllowed, opensBrowser, clientId: flagOf(flags, 'clientId') })
}

function unreachable(url: URL, error: unknown, headers: Readonly<Record<string, string>>): CommandError {
  return new CommandError(`Cannot connect to ${url.href}: ${explain(url, error, headers)}`, exitCodes.unreachable)
}

function explain(url: URL, error: unknown, headers: Readonly<Record<string, string>>): string {
  const status = SdkHttpError.isInstance(error) ? error.status : UnauthorizedError.isInstance(error) ? 401 : null
  if (status === 401) {
    return headers['authorization'] === undefined
      ? 'the server requires authentication. Pass --bearer TOKEN, --header, or --login to log in with the browser.'
      : 'the server rejected the credentials.'
  }
  if (status === 404) return `the server has nothing at ${url.pathname} (404). The path is usually /mcp.`
  const code = codeOf(error)
  if (code === 'ECONNREFUSED') return 'the connection was refused. Start the server, or give the URL that it printed.'
  if (code === 'ENOTFOUND') return `there is no host '${url.hostname}'.`
  return describe(error)
}

/** The code of a network error, which fetch hides in the cause. */
function codeOf(error: unknown): string | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const { code } = each as Error & { readonly code?: unknown }
    if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return code
    if (each instanceof AggregateError) return codeOf(each.errors[0])
  }
  return undefined
}
