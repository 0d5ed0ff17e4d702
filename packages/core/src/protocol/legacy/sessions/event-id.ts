/** A place in one stream of a session, as the `id` of an event names it: `STREAM-SEQUENCE`. */
interface EventPlace {
  readonly streamId: string
  readonly sequence: number
}

/** The GET stream: one for each session, however often the client opens it anew. */
export const channelId = '0'

const pattern = /^([0-9a-f]{1,16})-([1-9]\d{0,14})$/

export function encodeEventId(streamId: string, sequence: number): string {
  return `${streamId}-${sequence}`
}

/** `undefined` for what was never an id of an event. */
export function parseEventId(id: string): EventPlace | undefined {
  const match = pattern.exec(id)
  return match === null ? undefined : { streamId: match[1] as string, sequence: Number(match[2]) }
}
