import type { HttpFront } from './http-front.js'

/** Number of ports that are tried if the first is in use and was not chosen. */
const triedPorts = 20

interface Wanted {
  readonly host: string
  readonly port: number
  /** Whether the user chose the port: then no other is tried. */
  readonly isChosen: boolean
}

/** The origin of a listening server, and its port. */
export interface Listening {
  readonly origin: string
  readonly port: number
}

/**
 * Listens. If the port is in use and was not chosen, tries the next ones.
 *
 * @param onFailure Called with the port that failed, before the error is thrown.
 */
export async function listenOnFreePort(
  front: HttpFront,
  { host, port, isChosen }: Wanted,
  onFailure: (error: unknown, port: number) => void,
): Promise<Listening> {
  for (let tried = port; ; tried++) {
    try {
      // One after the other, because the first free port is taken.
      // oxlint-disable-next-line no-await-in-loop
      return { origin: await front.listen(host, tried), port: tried }
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (isTaken && !isChosen && tried < port + triedPorts) continue
      onFailure(error, tried)
      throw error
    }
  }
}
