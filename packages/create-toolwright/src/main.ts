// The program of `npm create toolwright`, which does the same as `toolwright new`.
import { stripVTControlCharacters } from 'node:util'
import { type CommandDef, renderUsage, runMain } from 'citty'
import { newProject } from './new-project.js'

const examples = `EXAMPLES

  npm create toolwright@latest                                        ask for everything
  npm create toolwright@latest my-server -- --yes                     ask nothing
  npm create toolwright@latest my-server -- --from authorization      begin with a sample
  npm create toolwright@latest my-server -- --test jest               test with Jest
`

/** Prints the help text. Removes colours if the output is piped. */
// oxlint-disable-next-line typescript/no-explicit-any -- the type of citty
async function showUsage(command: CommandDef<any>): Promise<void> {
  const usage = (await renderUsage(command)).replaceAll(/ +$/gm, '').trimEnd()
  const text = `${usage}\n\n${examples}\n`
  process.stdout.write(process.stdout.isTTY ? text : stripVTControlCharacters(text))
}

await runMain(newProject, { showUsage })
