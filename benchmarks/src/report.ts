import type { Comparison, ServerFigures } from './compare.js'
import { renderTable } from './table.js'

export interface Measured {
  readonly title: string
  readonly figure: string
}

/** Throughput of the servers, and what it is of the bare route's. */
export function reportComparisons(comparisons: readonly Comparison[]): string {
  const head = [
    'Over HTTP',
    'Toolwright req/s',
    'Bare route req/s',
    'SDK req/s',
    'Toolwright : bare',
    '(rounds)',
    'SDK : bare',
  ]
  const rows = comparisons.map(({ title, toolwright, bare, sdk }) => [
    title,
    ...[toolwright, bare, sdk].map(({ requestsPerSecond }) => Math.round(requestsPerSecond).toLocaleString('en')),
    ...ratioCells(toolwright),
    sdk.ratio[0].toFixed(3),
  ])
  return renderTable(head, rows)
}

/** CPU time of a request, which a busy machine distorts less than throughput. */
export function reportCpu(comparisons: readonly Comparison[]): string {
  const head = ['CPU time of the server', 'Toolwright µs', 'Bare route µs', 'SDK µs', 'bare : Toolwright', 'busy']
  const rows = comparisons.map(({ title, toolwright, bare, sdk }) => [
    title,
    ...[toolwright, bare, sdk].map(({ cpuMicros }) => cpuMicros.toFixed(1)),
    (bare.cpuMicros / toolwright.cpuMicros).toFixed(2),
    [toolwright, bare, sdk].map(({ busy }) => `${Math.round(busy * 100)} %`).join(', '),
  ])
  return renderTable(head, rows)
}

export function reportMeasured(measured: readonly Measured[]): string {
  return renderTable(
    ['In one process', 'Figure'],
    measured.map(({ title, figure }) => [title, figure]),
  )
}

function ratioCells({ ratio: [middle, lowest, highest] }: ServerFigures): readonly string[] {
  return [middle.toFixed(2), `${lowest.toFixed(2)}–${highest.toFixed(2)}`]
}
