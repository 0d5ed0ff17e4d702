import { UnfitResult } from '../errors/call-errors.js'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** @throws UnfitResult for bytes that are no text. */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new UnfitResult(
      'The result is bytes that are no UTF-8 text. Return image(…), audio(…) or embeddedResource(…)',
    )
  }
}
