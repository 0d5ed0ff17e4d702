/** A position in a stream of a session. The `id` of an event contains the position as `STREAM-SEQUENCE`. */
interface EventPlace {
  readonly streamId: string
  readonly sequence: number
}

/** Id of the GET stream. A session has a single GET stream, even if the client opens it several times. */
export const channelId = '0'

const pattern = /^([0-9a-f]{1,16})-([1-9]\d{0,14})$/

export function encodeEventId(streamId: string, sequence: number): string {
  return `${streamId}-${sequence}`
}

export function parseEventId(id: string): EventPlace | undefined {
  const match = pattern.exec(id)
  return match === null ? undefined : { streamId: match[1] as string, sequence: Number(match[2]) }
}
