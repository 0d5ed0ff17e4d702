import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'

/**
 * Reads what need not pass yet. `server` is in the suite's own format: scenarios, and single checks of scenarios that
 * pass in part. `skipped` holds what the suite leaves out, which its format has no word for.
 */
export async function readExpectations(file) {
  const { server, skipped } = parse(await readFile(file, 'utf8'))
  return { failing: server ?? [], skipped: skipped ?? [] }
}

export function scenarioOf(entry) {
  return entry.split(':')[0]
}
