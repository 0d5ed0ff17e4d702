import { channelId, parseEventId } from './event-id.js'
import type { Session } from './session.js'
import type { StreamReader } from './stream-reader.js'

/**
 * Opens the GET stream, where the last connection to it ended. That one ends if it is still there. Rejects when the
 * store does.
 */
export async function openChannel(session: Session): Promise<StreamReader> {
  const { streams, migration } = session
  const page = await streams.read(channelId, streams.delivered)
  if (page === undefined && streams.delivered > 0) await rewind(session)
  return migration.claim(channelId, false, () => streams.followChannel())
}

/**
 * Goes on after an event that the client has. `undefined` when what follows it cannot be told: there was no such event
 * in this session, or some after it are no longer kept. `null` when nothing follows it, ever. Rejects when the store
 * does.
 */
export async function resumeStream(session: Session, lastEventId: string): Promise<StreamReader | undefined | null> {
  const { streams, migration } = session
  const place = parseEventId(lastEventId)
  if (place === undefined) return undefined
  const { streamId, sequence } = place
  const page = await streams.read(streamId, sequence)
  // The client has it, and the store does not.
  const isLost = page === undefined && streamId === channelId && sequence <= streams.delivered
  if (isLost && !streams.isClosed) return openChannel(session)
  // The session may have ended meanwhile.
  if (page === undefined || !page.isWhole || streams.isClosed) return undefined
  if (page.isEnd && page.events.every(({ message }) => message === null)) return null
  return migration.claim(streamId, true, async () => {
    // Some clients forget where they were when this connection breaks as well before an event.
    if (page.events.length === 0) await streams.prime(streamId)
    return streams.follow(streamId, sequence)
  })
}

/** Goes on where the store is, which has lost a part of what was delivered: its places would else stay unread for long. */
async function rewind(session: Session): Promise<void> {
  const { streams } = session
  const last = await streams.findLast(channelId, streams.delivered)
  streams.rewindTo(last)
  await session.update((record) => (record.delivered > last ? { ...record, delivered: last } : record))
}
