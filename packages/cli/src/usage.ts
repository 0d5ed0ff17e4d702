import { stripVTControlCharacters } from 'node:util'
import { type CommandDef, renderUsage } from 'citty'
import { safeText } from './command-error.js'

export type Example = readonly [command: string, purpose: string]

export type MoreHelp = (rawArgs: readonly string[]) => Promise<readonly string[]>

interface Help {
  readonly examples: readonly Example[]
  readonly more: MoreHelp | undefined
}

const helpOf = new WeakMap<object, Help>()

export function withExamples<Command extends object>(
  command: Command,
  examples: readonly Example[],
  more?: MoreHelp,
): Command {
  helpOf.set(command, { examples, more })
  return command
}

export async function showUsage(
  // oxlint-disable-next-line typescript/no-explicit-any -- the type of citty
  command: CommandDef<any>,
  // oxlint-disable-next-line typescript/no-explicit-any -- the type of citty
  parent?: CommandDef<any>,
): Promise<void> {
  const { examples, more } = helpOf.get(command) ?? { examples: [], more: undefined }
  const width = Math.max(0, ...examples.map(([line]) => line.length))
  const lines = examples.map(([line, purpose]) => `  ${line.padEnd(width)}  ${purpose}`)
  const usage = tidy(await renderUsage(command, parent))
  const [, , ...rawArgs] = process.argv
  const added = (await more?.(rawArgs.slice(1).filter((arg) => arg !== '--help' && arg !== '-h'))) ?? []
  const examplesShown = lines.length === 0 ? [] : ['EXAMPLES', '', ...lines, '']
  const text = [usage, '', ...examplesShown, ...added.map(safeText), ''].join('\n')
  process.stdout.write(process.stdout.isTTY ? text : stripVTControlCharacters(text))
}

function tidy(usage: string): string {
  return usage
    .replaceAll(/--[a-z]+(?:[A-Z][a-z]+)+/g, (flag) =>
      flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    )
    .replaceAll(/^ {2}( *)(\S.*?)( {4}.*)$/gm, '  $2$1$3')
    .replaceAll(/ +$/gm, '')
    .trimEnd()
}
