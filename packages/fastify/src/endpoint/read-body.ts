import { BodyPieces, emptyBody, type Reading } from './body-pieces.js'
import { bodyTooLarge } from './errors.js'

/** Reads a body to its end, or as far as it is refused. Calls `done` or `refuse`, once. */
export function readBody(reading: Reading): void {
  const { payload, raw, announced, maxBytes, refuse } = reading
  if (announced > maxBytes) refuse(bodyTooLarge(maxBytes))
  // Its end will not come a second time.
  else if (payload.readableEnded) refuse(readBefore())
  // What came together with the head is there in the next tick. Not where the application reads it, too, or has put
  // something in its place: by then they could have had it, or failed.
  else if (payload === raw && payload.readableFlowing === null) process.nextTick(readAtOnce, reading)
  else new BodyPieces(reading).read()
}

/**
 * Fastify could read it (`parseAs`), but listens for each piece and copies them: a twentieth of a small call, which comes
 * in one piece and can be taken as it is.
 */
function readAtOnce(reading: Reading): void {
  const { payload, announced, done } = reading
  if (payload.readableLength !== announced || payload.destroyed) {
    new BodyPieces(reading).read()
    return
  }
  // By its length: Node 26 gives the first piece to whoever does not say how much, and it may have come in several.
  done((payload.read(announced) as Buffer | null) ?? emptyBody)
  // To its end, which others may wait for.
  payload.resume()
}

function readBefore(): Error {
  return new Error(
    'the body of the request was read before the endpoint got it, by something such as express.json(). ' +
      'Hand the request over before anything reads its body.',
  )
}
