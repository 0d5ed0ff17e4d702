/** How a client reaches the server. */
export type LaneName = 'in-memory' | 'stdio' | 'http'

/** Which family of protocol revisions a client speaks. */
export type EraName = 'modern' | 'legacy'

/** One way to a server, in one era. */
export interface Lane {
  readonly lane: LaneName
  readonly era: EraName
}

export const laneNames: readonly LaneName[] = ['in-memory', 'stdio', 'http']
export const eraNames: readonly EraName[] = ['modern', 'legacy']

/**
 * Every lane in either era. A behaviour that holds on one should hold on all:
 *
 * @example
 * describe.each(lanes)('$lane, $era', (lane) => {
 *   it('adds', async () => {
 *     await using connection = await connect({ name: 'test', version: '1', controllers: [Calculator] }, lane)
 *     …
 *   })
 * })
 */
export const lanes: readonly Lane[] = laneNames.flatMap((lane) => eraNames.map((era) => ({ lane, era })))
