import type { Comparison } from './compare.js'
import { renderTable } from './table.js'

export interface Measured {
  readonly title: string
  readonly figure: string
}

const none = '–'

/** Renders the throughput of the servers, and its ratio to that of the bare route. */
export function reportComparisons(comparisons: readonly Comparison[]): string {
  const head = [
    'Over HTTP',
    'Toolwright / bare',
    '(quartiles)',
    'SDK / bare',
    'Toolwright req/s',
    'bare req/s',
    'SDK req/s',
  ]
  const rows = comparisons.map(({ title, toolwright, bare, sdk }) => {
    const [lower, median, upper] = toolwright.ratio
    const rates = [toolwright, bare, sdk].map((server) =>
      server === null ? none : thousands(server.requestsPerSecond),
    )
    const sdkRatio = sdk === null ? none : sdk.ratio[1].toFixed(3)
    return [title, median.toFixed(2), `${lower.toFixed(2)}–${upper.toFixed(2)}`, sdkRatio, ...rates]
  })
  return renderTable(head, rows)
}

/** Renders the CPU time of a request, which a busy machine distorts less than throughput. */
export function reportCpu(comparisons: readonly Comparison[]): string {
  const head = ['CPU time of the server', 'bare / Toolwright', 'Toolwright µs', 'bare µs', 'SDK µs', 'busy']
  const rows = comparisons.map(({ title, toolwright, bare, sdk }) => [
    title,
    toolwright.cpuRatio.toFixed(2),
    ...[toolwright, bare, sdk].map((server) => server?.cpuMicros.toFixed(1) ?? none),
    [toolwright, bare, sdk].map((server) => (server === null ? none : `${Math.round(server.busy * 100)} %`)).join(', '),
  ])
  return renderTable(head, rows)
}

export function reportMeasured(measured: readonly Measured[]): string {
  return renderTable(
    ['In one process', 'Figure'],
    measured.map(({ title, figure }) => [title, figure]),
  )
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en')
}
