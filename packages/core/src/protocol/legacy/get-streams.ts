import { channelId, parseEventId } from './event-id.js'
import type { Session } from './session.js'
import type { StreamReader } from './stream-reader.js'

/**
 * Opens the GET stream, where the last connection to it ended. That one ends if it is still there. Rejects when the
 * store does.
 */
export async function openChannel({ streams, handover }: Session): Promise<StreamReader> {
  await streams.read(channelId, streams.delivered)
  return handover.takeOver(channelId, false, () => streams.followChannel())
}

/**
 * Goes on after an event that the client has. `undefined` when what follows it cannot be told: there was no such event
 * in this session, or some after it are no longer kept. `null` when nothing follows it, ever. Rejects when the store
 * does.
 */
export async function resumeStream(
  { streams, handover }: Session,
  lastEventId: string,
): Promise<StreamReader | undefined | null> {
  const place = parseEventId(lastEventId)
  if (place === undefined) return undefined
  const { streamId, sequence } = place
  const page = await streams.read(streamId, sequence)
  // The session may have ended meanwhile.
  if (page === undefined || !page.isWhole || streams.isClosed) return undefined
  if (page.isEnd && page.events.every(({ message }) => message === null)) return null
  return handover.takeOver(streamId, true, async () => {
    // Some clients forget where they were when this connection breaks as well before an event.
    if (page.events.length === 0) await streams.prime(streamId)
    return streams.follow(streamId, sequence)
  })
}
