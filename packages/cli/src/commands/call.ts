import {
  type CallToolResult,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  ProtocolError,
  type Tool,
} from '@modelcontextprotocol/client'
import { CredentialsError, ToolCallError } from '@toolwright/client'
import { defineCommand } from 'citty'
import { CallWatch } from '../client/call-watch.js'
import { type Connection, connect } from '../client/connect.js'
import { Elicitation } from '../client/elicitation.js'
import { type CommandLine, connectionFlags, flagOf, isSet, readCommandLine } from '../client/flags.js'
import { readTools } from '../client/read-tools.js'
import { checkOutput, showResult } from '../client/show-result.js'
import { chooseTarget, isTarget, isUrl } from '../client/target.js'
import { describeFlags, findName, missingArguments, readToolArguments } from '../client/tool-arguments.js'
import { CommandError, exitCodes, reportErrors, usageError } from '../command-error.js'
import { isInteractive, json, note, oneLine, print } from '../terminal.js'
import { withExamples } from '../usage.js'

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency', 'off']

const args = {
  target: { type: 'positional', required: false, description: 'URL or entry file (default: found in this folder)' },
  tool: { type: 'positional', required: false, description: 'Name of the tool' },
  arguments: {
    type: 'positional',
    required: false,
    description: '--name value for each argument; or JSON, @FILE, or - for stdin',
  },
  answer: { type: 'string', valueHint: 'json', description: 'Answer a question of the server; repeatable, in order' },
  output: { type: 'string', valueHint: 'file', description: 'Save the image, sound or file of the result' },
  logLevel: {
    type: 'string',
    valueHint: 'level',
    description: `Lowest level to show (default: info): ${levels.join(', ')}`,
  },
  ...connectionFlags,
} as const

export const call = withExamples(
  defineCommand({
    meta: { name: 'call', description: 'Call a tool of a server' },
    args,
    run: ({ rawArgs }) => reportErrors(() => callTool(rawArgs)),
  }),
  [
    ['toolwright call forecast --city Lisbon --days 2', 'a tool of the project in this folder'],
    [`toolwright call http://127.0.0.1:3000/mcp forecast '{"city":"Lisbon"}'`, 'a tool of a running server'],
    ['toolwright call forecast @arguments.json -- node server.js', 'a tool of a stdio server'],
    [`toolwright call book_room --nights 2 --answer '{"name":"Ann"}'`, 'answer the question of the server'],
    ['toolwright call forecast --help', 'the flags of a tool'],
  ],
  describeTool,
)

async function describeTool(rawArgs: readonly string[]): Promise<readonly string[]> {
  const line = readCommandLine(rawArgs, args)
  if (line.positionals.filter((each) => !isTarget(each)).length === 0) return []
  try {
    const [given, name] = splitPositionals(line)
    const connection = await connect(chooseTarget(given, line), line.flags)
    try {
      const tool = await findTool(connection, name)
      return [`FLAGS OF ${oneLine(tool.name)}`, '', ...describeFlags(tool.inputSchema), '']
    } finally {
      await connection.close()
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return ['The flags of the tool are unknown.', error.message, '']
  }
}

async function callTool(rawArgs: readonly string[]): Promise<void> {
  const line = readCommandLine(rawArgs, args)
  const [given, name, words] = splitPositionals(line)
  const target = chooseTarget(given, line)
  checkOutput(flagOf(line.flags, 'output'))
  const watch = new CallWatch()
  const elicitation = new Elicitation(line.flags.get('answer') ?? [], (ask) => watch.suspend(ask))
  const connection = await connect(target, line.flags, {
    onElicit: (params) => elicitation.answer(params),
    onSample: rejectSampling,
  })
  // Uses a handler, because a stream of events could deliver some messages after the result.
  connection.client.official.setNotificationHandler('notifications/message', ({ params }) => watch.log(params))
  try {
    const tool = await findTool(connection, name)
    const values = await readArguments(tool, words)
    const result = await run({ connection, tool, values, line, watch })
    watch.end()
    if (isSet(line.flags, 'json')) {
      await print(`${json(result)}\n`)
      if (result.isError === true) process.exitCode = exitCodes.failed
    } else await showResult(result, flagOf(line.flags, 'output'))
  } catch (error) {
    throw watch.signal.aborted ? watch.signal.reason : await connection.explain(error)
  } finally {
    await watch.close(connection)
  }
}

function splitPositionals(line: CommandLine): readonly [string | undefined, string, readonly string[]] {
  const { positionals, rest, command, flags } = line
  // Beside the command of a server, `notes.js` can only be a tool.
  const isNamed = command !== null || flags.has('stdio')
  const target = positionals.slice(0, 2).findIndex(isNamed ? isUrl : isTarget)
  const [tool, ...words] = [...positionals.filter((_, index) => index !== target), ...rest]
  // A name can begin with one dash. Flags of tools begin with two.
  if (tool === undefined || tool.startsWith('--')) {
    throw usageError('Give the name of a tool. `toolwright list` shows the tools.')
  }
  return [positionals[target], tool, words]
}

async function findTool(connection: Connection, name: string): Promise<Tool> {
  const tools = await readTools(connection)
  const names = tools.map((tool) => tool.name)
  const found = findName(name, names)
  const tool = tools.find((each) => each.name === found)
  if (tool !== undefined) return tool
  const missing = `The server has no tool '${name}'.`
  if (names.length === 0) throw usageError([`${missing} It lists no tools.`, ...connection.reasons()].join('\n'))
  const { nearestName } = await import('@toolwright/core/options')
  const near = nearestName(name, names)
  const advice =
    near !== undefined ? `Did you mean '${oneLine(near)}'?` : `The tools are ${names.map(oneLine).join(', ')}.`
  const warnings = connection.reasons()
  // The tool exists, but is hidden from this caller.
  const isHidden = warnings.some((warning) => warning.includes(name))
  throw usageError([`${missing} ${advice}`, ...(isHidden ? warnings : [])].join('\n'))
}

async function readArguments({ name, inputSchema }: Tool, words: readonly string[]): Promise<Record<string, unknown>> {
  const given = await readToolArguments(words, inputSchema)
  const missing = missingArguments(given, inputSchema)
  if (missing.length === 0) return given
  if (isInteractive()) {
    const { askForm } = await import('../client/prompts.js')
    const asked = await askForm(
      inputSchema,
      missing.map(([each]) => each),
    )
    if (asked === null) throw new CommandError('Cancelled.', exitCodes.cancelled)
    return { ...given, ...asked }
  }
  const width = Math.max(...missing.map(([each]) => each.length))
  const lines = missing.map(([each, about]) => `  --${oneLine(each).padEnd(width)}  ${about}`)
  throw usageError([`Missing arguments of ${oneLine(name)}:`, ...lines].join('\n'))
}

interface Run {
  readonly connection: Connection
  readonly tool: Tool
  readonly values: Record<string, unknown>
  readonly line: CommandLine
  readonly watch: CallWatch
}

async function run({ connection, tool, values, line, watch }: Run): Promise<CallToolResult> {
  const { client, timeoutMs } = connection
  const level = flagOf(line.flags, 'logLevel') ?? 'info'
  if (!levels.includes(level)) {
    throw usageError(`--log-level is '${level}'. Give one of ${levels.join(', ')}.`)
  }
  const wantsLog = level !== 'off' && client.capabilities.logging !== undefined
  if (wantsLog && client.era === 'legacy') await client.official.setLoggingLevel(level as LoggingLevel)
  const meta = wantsLog && client.era === 'modern' ? { [LOG_LEVEL_META_KEY]: level } : {}
  const send = (): Promise<CallToolResult> =>
    client.call(tool.name, values, {
      // The client needs no timeout, because the watch has its own, which is suspended while the user is asked.
      timeoutMs: 2 ** 31 - 1,
      signal: watch.signal,
      onProgress: (progress) => watch.progress(progress),
      onTask: (state) => watch.task(state),
      meta,
    }).result
  watch.start(connection, timeoutMs, tool.name)
  try {
    return await send()
  } catch (error) {
    // The failure of a tool is printed as its result.
    if (error instanceof ToolCallError) return error.result
    if (error instanceof CredentialsError && (await watch.suspend(() => connection.finishLogin()))) return send()
    throw error
  }
}

function rejectSampling(): never {
  note('The server asked for a response of a model (sampling). Declined: this command has no model.')
  throw new ProtocolError(-1, 'The user declined the sampling request')
}
