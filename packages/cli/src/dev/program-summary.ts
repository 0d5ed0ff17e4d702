import type { McpServer } from 'toolwright'
import { formatDuration } from './call-lines.js'
import type { ListDifference } from './list-differences.js'
import type { Terminal } from './terminal.js'

const maxNames = 20

export interface Addresses {
  readonly url: string | null
  readonly inspector: string | null
}

export function printStart(server: McpServer, addresses: Addresses, durationMs: number, terminal: Terminal): void {
  const { identity, catalog } = server
  const title = `${terminal.style('bold', identity.name)} ${identity.version}`
  const rows: readonly (readonly [string, string])[] = [
    ['MCP', addresses.url === null ? 'standard input and output' : terminal.style('cyan', addresses.url)],
    ['inspector', addresses.inspector === null ? '' : terminal.style('cyan', addresses.inspector)],
    ['tools', namesOf(catalog.tools) || 'none yet'],
    ['prompts', namesOf(catalog.prompts)],
    ['resources', [namesOf(catalog.resources), namesOf(catalog.resourceTemplates)].filter(Boolean).join(', ')],
    ...server.explain().hints.map((hint) => ['not served', hint] as const),
  ]
  const lines = rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `  ${terminal.style('dim', name.padEnd(10))} ${value}`)
  terminal.print(['', `  ${title}  ${terminal.style('dim', `ready in ${formatDuration(durationMs)}`)}`, ''].join('\n'))
  terminal.print([...lines, ''].join('\n'))
}

export function printReload(
  files: readonly string[],
  differences: readonly ListDifference[],
  durationMs: number,
  terminal: Terminal,
): void {
  const what = terminal.style('dim', files.join(', '))
  terminal.print(`${terminal.style('green', 'reloaded')} in ${formatDuration(durationMs)}: ${what}`)
  for (const { kind, added, removed, changed } of differences) {
    const words = [
      ...added.map((name) => terminal.style('green', `+${name}`)),
      ...removed.map((name) => terminal.style('red', `-${name}`)),
      ...changed.map((name) => terminal.style('yellow', `~${name}`)),
    ]
    terminal.print(`  ${terminal.style('dim', kind)} ${shorten(words).join(' ')}`)
  }
}

/** Warns of schemas that can take long to validate. A started server does not search for them, because the search takes time. */
export function printSlowSchemas(server: McpServer, terminal: Terminal): void {
  for (const problem of server.explain().slowSchemas) {
    terminal.print(`  ${terminal.style('yellow', 'slow')} ${problem}`)
  }
}

function namesOf(registry: { keys(): Iterable<string> }): string {
  return shorten([...registry.keys()].toSorted()).join(', ')
}

function shorten(names: readonly string[]): readonly string[] {
  const left = names.length - maxNames
  return left > 0 ? [...names.slice(0, maxNames), `and ${left} more`] : names
}
