import { channelId, parseEventId } from './event-id.js'
import type { HeldSession } from './held-session.js'
import type { StreamReader } from './stream-reader.js'

export async function openChannel(session: HeldSession): Promise<StreamReader> {
  const { streams, migration } = session
  const page = await streams.read(channelId, streams.delivered)
  if (page === undefined && streams.delivered > 0) await rewind(session)
  return migration.claim(channelId, false, () => streams.followChannel())
}

export async function resumeStream(
  session: HeldSession,
  lastEventId: string,
): Promise<StreamReader | undefined | null> {
  const { streams, migration } = session
  const place = parseEventId(lastEventId)
  if (place === undefined) return undefined
  const { streamId, sequence } = place
  const page = await streams.read(streamId, sequence)
  // The client has received the event, but the store has lost it.
  const isLost = page === undefined && streamId === channelId && sequence <= streams.delivered
  if (isLost && !streams.isClosed) return openChannel(session)
  // The session could have ended during the read.
  if (page === undefined || !page.isWhole || streams.isClosed) return undefined
  if (page.isEnd && page.events.every(({ message }) => message === null)) return null
  return migration.claim(streamId, true, async () => {
    // Sends an event at once, because some clients lose their position if a connection breaks before its first event.
    if (page.events.length === 0) await streams.prime(streamId)
    return streams.follow(streamId, sequence)
  })
}

/**
 * Moves the position back to the store's last event, because the store has lost delivered events. Otherwise, new events that
 * reuse the lost positions would not be read.
 */
async function rewind(session: HeldSession): Promise<void> {
  const { streams } = session
  const last = await streams.findLast()
  streams.rewindTo(last)
  await session.update((record) => (record.delivered > last ? { ...record, delivered: last } : record))
}
