import type { HttpFront } from './http-front.js'

const triedPorts = 20

interface Wanted {
  readonly host: string
  readonly port: number
  /** Whether the user chose the port. If so, no other port is tried. */
  readonly isChosen: boolean
}

export interface Listening {
  readonly origin: string
  readonly port: number
}

/**
 * Listens. If the port is in use and the user did not choose it, tries the next ports.
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
      // Tries one port after the other, because the first free port is used.
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
