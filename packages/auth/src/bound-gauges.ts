import type { Gauge } from '@toolwright/core'

/** What there is of something, and under the name with `_max` behind it how much there may be. */
export function boundGauges(name: string, help: string, max: number, read: () => number): readonly Gauge[] {
  return [
    { name, help, read },
    { name: `${name}_max`, help: `${help}, at most`, read: () => max },
  ]
}
