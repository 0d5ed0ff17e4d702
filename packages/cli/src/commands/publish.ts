import { defineCommand } from 'citty'
import { flagOf, isSet, readCommandLine, rejectRest } from '../client/flags.js'
import { exitCodes, reportErrors, usageError } from '../command-error.js'
import { formatFindings } from '../doctor/finding.js'
import { type Prepared, prepare, serverFile } from '../publish/prepare.js'
import { readRemotes } from '../publish/server-json.js'
import { json, note, print } from '../terminal.js'
import { withExamples } from '../usage.js'

const args = {
  entry: { type: 'positional', required: false, description: 'The built program (default: `bin`, or found in dist)' },
  bundle: { type: 'boolean', description: 'Also pack a bundle (.mcpb), which desktop clients install' },
  bundleUrl: {
    type: 'string',
    valueHint: 'url',
    description: 'URL that the bundle will have (default: a release of the GitHub repository)',
  },
  remote: { type: 'string', valueHint: 'url', description: 'URL of a running server; repeatable' },
  header: {
    type: 'string',
    valueHint: 'name',
    description: "Header that the remotes need: X-API-Key, 'Authorization: Bearer {token}'; repeatable",
  },
  start: { type: 'boolean', default: true, negativeDescription: 'Pack the bundle without starting its server first' },
  check: { type: 'boolean', description: 'Write nothing; exit with code 1 if server.json is wrong or out of date' },
  dryRun: { type: 'boolean', description: 'Show server.json without writing it' },
  json: { type: 'boolean', description: 'Print the findings and server.json as JSON' },
} as const

export const publish = withExamples(
  defineCommand({
    meta: {
      name: 'publish',
      description: 'Write server.json for the MCP registry, and pack a bundle; uploads nothing',
    },
    args,
    run: ({ rawArgs }) => reportErrors(() => preparePublication(rawArgs)),
  }),
  [
    ['toolwright publish', 'write server.json, and show what is missing'],
    ['toolwright publish --bundle', 'also pack a bundle for desktop clients'],
    ['toolwright publish --remote https://mcp.example.com/mcp --header X-API-Key', 'list a server with its URL'],
    ['toolwright publish --check', 'in CI: fail if server.json is out of date'],
  ],
)

async function preparePublication(rawArgs: readonly string[]): Promise<void> {
  const line = readCommandLine(rawArgs, args)
  rejectRest(line, args)
  const { flags, positionals } = line
  if (positionals.length > 1) throw usageError(`Unexpected argument '${positionals[1]}'. Give one file.`)
  const isCheck = isSet(flags, 'check')
  if (isCheck && isSet(flags, 'bundle')) throw usageError('--check packs no bundle. Leave out --bundle.')
  const isShown = isSet(flags, 'dryRun')
  const prepared = await prepare({
    folder: process.cwd(),
    entry: positionals[0],
    wantsBundle: isSet(flags, 'bundle'),
    bundleUrl: flagOf(flags, 'bundleUrl'),
    remotes: readRemotes(flags.get('remote') ?? [], flags.get('header') ?? []),
    starts: flagOf(flags, 'start') !== 'false',
    mode: isCheck ? 'check' : isShown ? 'show' : 'write',
  })
  const hasFailed = prepared.findings.some(({ status }) => status === 'fail')
  if (hasFailed) process.exitCode = exitCodes.failed
  if (isSet(flags, 'json')) return print(`${json(prepared)}\n`)
  await print(`${formatFindings(prepared.findings, process.stdout).join('\n')}\n`)
  if (isShown) await print(`\n${json(prepared.serverJson)}\n`)
  else if (!isCheck && hasFailed) note('Nothing was written. Fix the failures first.')
  else if (!isCheck) await print(describeWritten(prepared))
}

function describeWritten({ written, next }: Prepared): string {
  const lines = [
    ...written.map((name) => `Wrote ${name}.`),
    '',
    `Nothing was uploaded. To publish, commit ${serverFile}, and run:`,
    '',
    ...next.map((command) => `  ${command}`),
    '',
    'mcp-publisher is the publisher of the registry: https://github.com/modelcontextprotocol/registry/releases',
  ]
  return `\n${lines.join('\n')}\n`
}
