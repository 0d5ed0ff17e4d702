import { defineCommand } from 'citty'
import { isSet, readCommandLine, rejectRest } from '../client/flags.js'
import { reportErrors } from '../command-error.js'
import { explainEntry } from '../explain-entry.js'
import { findEntry } from '../find-entry.js'
import { print } from '../terminal.js'
import { withExamples } from '../usage.js'

const args = {
  entry: { type: 'positional', required: false, description: 'Entry file or folder (default: found in this folder)' },
  json: { type: 'boolean', description: 'Print the report as JSON' },
} as const

export const explain = withExamples(
  defineCommand({
    meta: { name: 'explain', description: 'Show which features are served, to whom, and why others are not served' },
    args,
    run: ({ rawArgs }) => reportErrors(() => printReport(rawArgs)),
  }),
  [
    ['toolwright explain', 'the project in this folder'],
    ['toolwright explain dist/main.js --json', 'a built program, as JSON'],
  ],
)

async function printReport(rawArgs: readonly string[]): Promise<void> {
  const line = readCommandLine(rawArgs, args)
  rejectRest(line, args)
  const entry = findEntry(process.cwd(), line.positionals[0])
  await print(await explainEntry(entry, { json: isSet(line.flags, 'json') }))
}
