import { Child } from './child.js'
import type { BootFigures } from './children/boot.js'
import { timeProxiedCalls } from './proxied-calls.js'
import { quantile } from './quantile.js'
import { type Measured, thousands } from './report.js'
import type { EraName } from './requests.js'
import type { Settings } from './settings.js'
import { timeStreams } from './stream-bytes.js'

/** A figure that needs no load generator. It is measured in fresh processes, one after the other. */
export interface Measurement {
  readonly title: string
  run(settings: Settings): Promise<string>
}

const bootTools = 1000

export const measurements: readonly Measurement[] = [
  { title: 'tools/call in process, modern', run: (settings) => timeCalls('modern', settings) },
  { title: 'tools/call in process, legacy', run: (settings) => timeCalls('legacy', settings) },
  { title: 'callTool in process', run: (settings) => timeCalls(null, settings) },
  { title: 'tools/call through a proxy', run: timeProxiedCalls },
  { title: 'stream of bytes over WebSocket', run: timeStreams },
  { title: `boot of ${thousands(bootTools)} tools`, run: timeBoot },
]

export async function measure(measurement: Measurement, settings: Settings): Promise<Measured> {
  return { title: measurement.title, figure: await measurement.run(settings) }
}

async function timeCalls(era: EraName | null, { launches, seconds }: Settings): Promise<string> {
  const medians: number[] = []
  for (let launch = 0; launch < launches; launch++) {
    const { samples } = await askOnce<{ samples: number[] }>('in-process', { era, milliseconds: seconds * 2000 })
    medians.push(quantile(samples, 0.5))
  }
  return `${thousands(quantile(medians, 0.5))} ns a call`
}

async function timeBoot({ launches }: Settings): Promise<string> {
  const boots: BootFigures[] = []
  for (let launch = 0; launch < launches; launch++) boots.push(await askOnce('boot', { tools: bootTools }))
  const middle = (figure: keyof BootFigures): number =>
    quantile(
      boots.map((boot) => boot[figure]),
      0.5,
    )
  return `${thousands(middle('bootMs'))} ms, ${thousands(middle('residentMiB'))} MiB resident`
}

async function askOnce<Answer>(name: 'in-process' | 'boot', message: object): Promise<Answer> {
  const child = new Child(name)
  try {
    return await child.ask<Answer>(message)
  } finally {
    await child.stop()
  }
}
