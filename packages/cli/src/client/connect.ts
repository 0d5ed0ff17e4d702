import {
  type OAuthClientProvider,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import {
  ConnectionError,
  type ConnectOptions,
  CredentialsError,
  connect as connectClient,
  type McpClient,
} from '@toolwright/client'
import { CommandError, exitCodes, usageError } from '../command-error.js'
import { isInteractive } from '../terminal.js'
import { version } from '../version.js'
import { readCredentials } from './credentials-file.js'
import { readErrorOutput } from './error-output.js'
import { describe, explainFailure } from './failure.js'
import { type Flags, flagOf, isSet } from './flags.js'
import { readHeaders } from './headers.js'
import { fetchForLogin } from './login-urls.js'
import { adviseOnSilence, describeTooLong, explainEnd, maxMessageMiB, watchExit } from './stdio-end.js'
import { describeTarget, type HttpTarget, type StdioTarget, type Target } from './target.js'
import { unreachable } from './unreachable.js'

const defaultTimeoutMs = 60_000

export interface Connection {
  readonly client: McpClient
  readonly timeoutMs: number
  /** Explains why a list may be empty: the warnings of a started program, and a way to be another caller. */
  readonly reasons: () => readonly string[]
  readonly explain: (error: unknown) => Promise<unknown>
  /** Waits for the login that a call has started because it needs more scopes. @returns Whether there was a login. */
  finishLogin(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Connects a client to a server. Starts the program of a stdio server; logs in with the browser, if the server requires
 * it and the user allows it.
 *
 * @param handlers Handlers of client requests.
 * @throws CommandError with exit code 2 if the server cannot be reached or started.
 */
export async function connect(target: Target, flags: Flags, handlers: Handlers = {}): Promise<Connection> {
  const timeoutMs = readTimeout(flags)
  const options: ConnectOptions = {
    clientInfo: { name: 'toolwright', version },
    era: readEra(target, flags),
    timeoutMs,
    // A command makes one request, and reports its failure instead of reconnecting.
    reconnect: false,
    ...handlers,
  }
  const opened =
    target.kind === 'http'
      ? await connectOverHttp(target, flags, options)
      : await connectOverStdio(target, options, flagOf(flags, 'era') !== 'modern')
  return { ...opened, timeoutMs }
}

export type Handlers = Pick<ConnectOptions, 'onElicit' | 'onSample' | 'tasks'>

function readTimeout(flags: Flags): number {
  const given = flagOf(flags, 'timeout')
  if (given === undefined) return defaultTimeoutMs
  const seconds = Number(given)
  if (seconds > 0 && seconds < 2_000_000) return Math.ceil(seconds * 1000)
  throw usageError(`--timeout is '${given}'. Give a number of seconds.`)
}

function readEra(target: Target, flags: Flags): NonNullable<ConnectOptions['era']> {
  const era = flagOf(flags, 'era') ?? 'auto'
  if (era !== 'auto' && era !== 'modern' && era !== 'legacy') {
    throw usageError(`--era is '${era}'. Give auto, modern or legacy.`)
  }
  // With `auto`, the client would start the program twice. The server of an entry file is modern, unless the program
  // limits its revisions.
  return era === 'auto' && target.kind === 'stdio' && target.isEntry ? 'modern' : era
}

const adviseCaller = `To call as a user, pass --as '{"subject":"ann","roles":["Admin"],"scopes":["notes:read"]}'.`
const adviseCredentials =
  'Features for known callers are hidden. Pass --bearer TOKEN or --header, or log in with `toolwright list URL --login`.'

function isAnonymous(headers: Readonly<Record<string, string>>, login: OAuthClientProvider | null): boolean {
  return Object.keys(headers).length === 0 && login?.tokens() === undefined
}

type Opened = Omit<Connection, 'timeoutMs'>

/**
 * A subclass, so that the client does not start a second process to find the era. The error output of a second process
 * would be lost. Only servers that exit after an unknown request need a second process.
 */
class StartedOnce extends StdioClientTransport {}

/**
 * @param canFallBack Whether the client starts the server again, in the legacy era, if the server has no modern
 * revision.
 */
async function connectOverStdio(target: StdioTarget, options: ConnectOptions, canFallBack: boolean): Promise<Opened> {
  const Transport = options.era === 'auto' ? StdioClientTransport : StartedOnce
  const transport = new Transport({
    command: target.command,
    args: [...target.args],
    // A program that is started from a shell expects the environment of the shell.
    env: process.env as Record<string, string>,
    stderr: 'pipe',
    maxBufferSize: maxMessageMiB * 2 ** 20,
  })
  let fault: Error | null = null
  const onError = (error: Error): void => {
    fault ??= error
  }
  const errorOutput = readErrorOutput(transport.stderr)
  try {
    const client = await connectClient(transport, { ...options, onError })
    const exit = watchExit(transport)
    const explain = async (error: unknown): Promise<unknown> =>
      error instanceof ConnectionError ? explainEnd(fault, exit(), await errorOutput.text()) : explainFailure(error)
    const reasons = (): readonly string[] => [...errorOutput.warnings(), ...(target.isEntry ? [adviseCaller] : [])]
    return { client, reasons, explain, finishLogin: () => Promise.resolve(false), close: () => client.close() }
  } catch (error) {
    if (canFallBack && isOfOtherEra(error)) return connectOverStdio(target, { ...options, era: 'legacy' }, false)
    const printed = await errorOutput.text()
    if (printed !== '' && target.isEntry) throw new CommandError(printed, exitCodes.unreachable)
    const found = describeTooLong(fault) ?? describe(error)
    const reason = `Cannot connect to ${describeTarget(target)}: ${found}${adviseOnSilence(found)}`
    throw new CommandError([reason, printed].filter((line) => line !== '').join('\n\n'), exitCodes.unreachable)
  }
}

/** Whether the server answered that it does not offer the revision. Exits of the program cause other messages. */
function isOfOtherEra(error: unknown): boolean {
  const { cause } = error as Error
  const isNegotiation = SdkError.isInstance(cause) && cause.code === SdkErrorCode.EraNegotiationFailed
  return isNegotiation && cause.message.includes('did not offer')
}

async function connectOverHttp({ url }: HttpTarget, flags: Flags, options: ConnectOptions): Promise<Opened> {
  const headers = readHeaders(flags)
  const login = headers['authorization'] === undefined ? await prepareLogin(url, flags) : null
  let challenge = ''
  const send = fetchForLogin(url, headers, (given) => {
    challenge = given
  })
  const open = async (): Promise<Opened> => {
    // The transport is created here, because the same transport has to finish a login that a rejected connection has
    // started.
    const transport = new StreamableHTTPClientTransport(url, {
      fetch: send,
      ...(login === null ? {} : { authProvider: login }),
    })
    const finishLogin = async (): Promise<boolean> => {
      if (login?.isWaiting !== true) return false
      await transport.finishAuth(await login.waitForRedirect())
      return true
    }
    try {
      const client = await connectClient(transport, options)
      const close = async (): Promise<void> => {
        login?.close()
        await client.close()
      }
      const reasons = (): readonly string[] => (isAnonymous(headers, login) ? [adviseCredentials] : [])
      return { client, reasons, explain: async (error) => explainFailure(error), finishLogin, close }
    } catch (error) {
      if (error instanceof CredentialsError && (await finishLogin())) return open()
      throw error
    }
  }
  try {
    return await open()
  } catch (error) {
    login?.close()
    throw commandErrorIn(error) ?? unreachable(error, { url, headers, challenge })
  }
}

/**
 * Prepares a login if the user allows logins, or has logged in before. Only the server's response shows whether a login
 * is needed.
 */
async function prepareLogin(url: URL, flags: Flags) {
  const isAllowed = isInteractive() || isSet(flags, 'login')
  if (!isAllowed && readCredentials(url).tokens === undefined) return null
  const { BrowserLogin } = await import('./browser-login.js')
  const opensBrowser = flagOf(flags, 'browser') !== 'false'
  return BrowserLogin.open(url, { isAllowed, opensBrowser, clientId: flagOf(flags, 'clientId') })
}

function commandErrorIn(error: unknown): CommandError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof CommandError) return cause
  return null
}
