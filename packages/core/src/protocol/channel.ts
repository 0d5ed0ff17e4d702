/**
 * The long-lived way out to a peer, for messages that belong to no request: the connection itself, or the GET stream of
 * a legacy HTTP session.
 *
 * A session may have no stream open when a message comes. It is then kept for the next one, within the limits of the
 * session's event store: the oldest go first. A message is never lost while a stream is open and read.
 */
export interface Channel {
  /** Sends a notification or a request, as JSON text. Never throws. */
  send(json: string): void
}
