import { Child } from './child.js'
import type { BootFigures } from './children/boot.js'
import { median } from './median.js'
import type { Measured } from './report.js'
import type { EraName } from './requests.js'
import type { Settings } from './settings.js'

/** A figure that needs no load generator: taken in fresh processes, one after the other. */
export interface Measurement {
  readonly title: string
  run(settings: Settings): Promise<string>
}

const bootTools = 1000

export const measurements: readonly Measurement[] = [
  { title: 'tools/call in process, modern', run: (settings) => timeCalls('modern', settings) },
  { title: 'tools/call in process, legacy', run: (settings) => timeCalls('legacy', settings) },
  { title: `boot of ${bootTools.toLocaleString('en')} tools`, run: timeBoot },
]

export async function measure(measurement: Measurement, settings: Settings): Promise<Measured> {
  return { title: measurement.title, figure: await measurement.run(settings) }
}

async function timeCalls(era: EraName, { rounds, seconds }: Settings): Promise<string> {
  const medians: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { samples } = await askOnce<{ samples: number[] }>('in-process', { era, milliseconds: seconds * 500 })
    medians.push(median(samples))
  }
  return `${Math.round(median(medians)).toLocaleString('en')} ns per call`
}

async function timeBoot({ rounds }: Settings): Promise<string> {
  const boots: BootFigures[] = []
  for (let round = 0; round < rounds; round++) boots.push(await askOnce('boot', { tools: bootTools }))
  const milliseconds = Math.round(median(boots.map(({ bootMs }) => bootMs)))
  const resident = Math.round(median(boots.map(({ residentMiB }) => residentMiB)))
  return `${milliseconds} ms, ${resident} MiB resident`
}

async function askOnce<Answer>(name: 'in-process' | 'boot', message: object): Promise<Answer> {
  const child = new Child(name)
  try {
    return await child.ask<Answer>(message)
  } finally {
    await child.stop()
  }
}
