import { stripVTControlCharacters } from 'node:util'
import { type CommandDef, renderUsage } from 'citty'

/** A command line, and its purpose. */
export type Example = readonly [command: string, purpose: string]

const examplesOf = new WeakMap<object, readonly Example[]>()

/** Adds examples to the help text of a command. */
export function withExamples<Command extends object>(command: Command, examples: readonly Example[]): Command {
  examplesOf.set(command, examples)
  return command
}

/** Prints the help text of a command, followed by its examples. */
export async function showUsage(
  // oxlint-disable-next-line typescript/no-explicit-any -- the type of citty
  command: CommandDef<any>,
  // oxlint-disable-next-line typescript/no-explicit-any -- the type of citty
  parent?: CommandDef<any>,
): Promise<void> {
  const examples = examplesOf.get(command) ?? []
  const width = Math.max(0, ...examples.map(([line]) => line.length))
  const lines = examples.map(([line, purpose]) => `  ${line.padEnd(width)}  ${purpose}`)
  const usage = (await renderUsage(command, parent)).replaceAll(/ +$/gm, '').trimEnd()
  const text = [usage, '', ...(lines.length === 0 ? [] : ['EXAMPLES', '', ...lines, '']), ''].join('\n')
  process.stdout.write(process.stdout.isTTY ? text : stripVTControlCharacters(text))
}
