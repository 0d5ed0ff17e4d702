import { defineCommand } from 'citty'
import { connectionFlags, isSet, readCommandLine, rejectRest } from '../client/flags.js'
import { exitCodes, reportErrors, usageError } from '../command-error.js'
import { formatFindings } from '../doctor/finding.js'
import { findEntry } from '../find-entry.js'
import { json, print } from '../terminal.js'
import { withExamples } from '../usage.js'

const { stdio: _unused, json: _replaced, login: _other, as: _caller, ...httpFlags } = connectionFlags

const args = {
  target: {
    type: 'positional',
    required: false,
    description: 'Entry file, folder, URL or OpenAPI document (default: the program in this folder)',
  },
  watch: {
    type: 'string',
    valueHint: 'seconds',
    description: 'Keep a stream open for this many seconds, to find timeouts of proxies',
  },
  login: { type: 'boolean', description: 'Walk the login of a URL as clients do, without logging in' },
  as: {
    type: 'string',
    valueHint: 'client or json',
    description:
      'With --login, one of claude, claude-code, chatgpt, vscode, cursor, codex (default: all). Else the caller of a project, as JSON',
  },
  ...httpFlags,
  json: { type: 'boolean', description: 'Print the findings as JSON' },
} as const

export const doctor = withExamples(
  defineCommand({
    meta: { name: 'doctor', description: 'Find mistakes in a project or a running server' },
    args,
    run: ({ rawArgs }) => reportErrors(() => examine(rawArgs)),
  }),
  [
    ['toolwright doctor', 'the project in this folder'],
    ['toolwright doctor https://mcp.example.com/mcp', 'a running server: TLS, login, proxy, tools'],
    ['toolwright doctor shop.yaml', 'an OpenAPI document'],
    ['toolwright doctor --login URL', 'why clients cannot log in'],
    ['toolwright doctor --login URL --as claude', 'the same, for one client'],
    ['toolwright doctor URL --watch 90', 'also check whether a proxy closes idle streams'],
  ],
)

async function examine(rawArgs: readonly string[]): Promise<void> {
  const line = readCommandLine(rawArgs, args)
  rejectRest(line, args)
  const [target] = line.positionals
  const findings = await check(target, line.flags)
  const text = isSet(line.flags, 'json') ? json(findings) : formatFindings(findings, process.stdout).join('\n')
  await print(`${text}\n`)
  if (findings.some(({ status }) => status === 'fail')) process.exitCode = exitCodes.failed
}

async function check(target: string | undefined, flags: ReadonlyMap<string, readonly string[]>) {
  const isLogin = isSet(flags, 'login')
  if (target !== undefined && isDocument(target) && !isLogin) {
    const { checkOpenApi } = await import('../doctor/openapi.js')
    return checkOpenApi(findEntry(process.cwd(), target))
  }
  if (target === undefined || !/^https?:/i.test(target)) {
    if (isLogin)
      throw usageError('--login needs the URL of a server: toolwright doctor --login https://mcp.example.com/mcp')
    const { checkProject } = await import('../doctor/project.js')
    return checkProject(findEntry(process.cwd(), target), flags)
  }
  if (!URL.canParse(target)) throw usageError(`'${target}' is not a URL.`)
  if (isLogin) {
    const { checkLogin } = await import('../doctor/login/check-login.js')
    return checkLogin(new URL(target), flags)
  }
  const { checkRunningServer } = await import('../doctor/server.js')
  return checkRunningServer(new URL(target), flags)
}

function isDocument(target: string): boolean {
  return !/^https?:/i.test(target) && /\.(ya?ml|json)$/i.test(target)
}
