/** Transport between client and server. */
export type LaneName = 'in-memory' | 'stdio' | 'http' | 'websocket'

/** Family of protocol revisions. */
export type EraName = 'modern' | 'legacy'

/** Transport and era of a client. */
export interface Lane {
  readonly lane: LaneName
  readonly era: EraName
}

export const laneNames: readonly LaneName[] = ['in-memory', 'stdio', 'http', 'websocket']
export const eraNames: readonly EraName[] = ['modern', 'legacy']

/**
 * Every transport in both eras, except `websocket`, which behaves like `stdio` except for stream tools. Run a test in each lane, because servers should behave alike in all lanes:
 *
 * @example
 * describe.each(lanes)('$lane, $era', (lane) => {
 *   it('adds', async () => {
 *     await using connection = await connect({ name: 'test', version: '1', controllers: [Calculator] }, lane)
 *     …
 *   })
 * })
 */
export const lanes: readonly Lane[] = laneNames
  .filter((lane) => lane !== 'websocket')
  .flatMap((lane) => eraNames.map((era) => ({ lane, era })))
