import type { Load } from './benchmark-server.js'
import { Launch, type Subject } from './launch.js'
import { quantile } from './quantile.js'
import type { Scenario } from './scenarios.js'
import type { Settings } from './settings.js'

/** Figures of one server in one row. */
export interface ServerFigures {
  readonly requestsPerSecond: number
  /** Throughput relative to the bare route in the same round: quartiles over all rounds. */
  readonly ratio: readonly [lower: number, median: number, upper: number]
  /** The same ratio for the CPU time of the server's process. */
  readonly cpuRatio: number
  readonly cpuMicros: number
  readonly busy: number
}

export interface Comparison {
  readonly title: string
  readonly toolwright: ServerFigures
  readonly bare: ServerFigures
  /** `null` if the SDK has nothing comparable. */
  readonly sdk: ServerFigures | null
}

type Progress = (text: string) => void

/**
 * Times Toolwright and the bare route alternately, so that a slowdown of the machine affects both, and then the official
 * SDK. Each server is restarted several times: the same code runs some percent faster in one process than in another.
 */
export async function compare(scenario: Scenario, settings: Settings, progress: Progress): Promise<Comparison> {
  const loads: Record<Subject['name'], Load[]> = { toolwright: [], bare: [], sdk: [] }
  for (let number = 1; number <= settings.launches; number++) {
    const launch = await Launch.start(scenario)
    try {
      for (const group of launch.groups) {
        await launch.warmUp(group, settings)
        for (let round = 1; round <= settings.rounds; round++) {
          progress(`launch ${number} of ${settings.launches}, ${namesOf(group)}, round ${round} of ${settings.rounds}`)
          for (const subject of group) loads[subject.name].push(await launch.load(subject, settings))
        }
      }
    } finally {
      await launch.stop()
    }
  }
  const { toolwright, bare, sdk } = loads
  return {
    title: scenario.title,
    toolwright: summarise(toolwright, bare),
    bare: summarise(bare, bare),
    sdk: sdk.length === 0 ? null : summarise(sdk, bare),
  }
}

function namesOf(group: readonly Subject[]): string {
  return group.map(({ name }) => name).join(' and ')
}

function summarise(loads: readonly Load[], bare: readonly Load[]): ServerFigures {
  const middle = (figure: (load: Load) => number): number => quantile(loads.map(figure), 0.5)
  const inPairs = (ratio: (load: Load, other: Load) => number): number[] =>
    loads.map((load, round) => ratio(load, bare[round] as Load))
  const ratios = inPairs((load, other) => load.requestsPerSecond / other.requestsPerSecond)
  return {
    requestsPerSecond: middle((load) => load.requestsPerSecond),
    ratio: [quantile(ratios, 0.25), quantile(ratios, 0.5), quantile(ratios, 0.75)],
    cpuRatio: quantile(
      inPairs((load, other) => other.cpuMicros / load.cpuMicros),
      0.5,
    ),
    cpuMicros: middle((load) => load.cpuMicros),
    busy: middle((load) => load.busy),
  }
}
