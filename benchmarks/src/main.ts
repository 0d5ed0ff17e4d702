// `npm run bench`: Toolwright beside a bare Fastify route and the official SDK. See docs/explanation/performance.md.
import { availableParallelism } from 'node:os'
import { type Comparison, compare } from './compare.js'
import { measure, measurements } from './measure.js'
import { type Measured, reportComparisons, reportCpu, reportMeasured } from './report.js'
import { scenarios } from './scenarios.js'
import { readSettings, type Settings } from './settings.js'
import { reportStarts } from './start-up.js'

const settings = readSettings()
if (settings !== null) await run(settings)

async function run(chosen: Settings): Promise<void> {
  const isWanted = ({ title }: { title: string }): boolean => title.toLowerCase().includes(chosen.only)
  const compared = scenarios.filter(isWanted)
  const measured = measurements.filter(isWanted)
  showProgress('start-up')
  const starts = await reportStarts(isWanted, 4 * chosen.launches)
  if (compared.length + measured.length === 0 && starts === null)
    throw new Error(`No row has "${chosen.only}" in its title`)
  const { launches, rounds, seconds, connections } = chosen
  print(
    `Node ${process.version}, ${availableParallelism()} cores shared with the load generator, ${connections} ` +
      `connections; each server started ${launches} times and timed ${rounds} times for ${seconds} s each`,
  )
  const comparisons: Comparison[] = []
  for (const scenario of compared) {
    comparisons.push(await compare(scenario, chosen, (step) => showProgress(`${scenario.title}: ${step}`)))
  }
  const metrics: Measured[] = []
  for (const measurement of measured) {
    showProgress(measurement.title)
    metrics.push(await measure(measurement, chosen))
  }
  showProgress('')
  if (comparisons.length > 0) print('', reportComparisons(comparisons), '', reportCpu(comparisons))
  if (metrics.length > 0) print('', reportMeasured(metrics))
  if (starts !== null) print('', starts)
}

function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

/**
 * Shows progress on stderr, because stdout is for the table: one changing line on a terminal, otherwise a line for each
 * step.
 */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
  else if (text !== '') process.stderr.write(`${text}\n`)
}
