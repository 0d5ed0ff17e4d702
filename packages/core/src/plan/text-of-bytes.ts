import { UnfitResult } from '../errors/call-errors.js'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decodes UTF-8. @throws UnfitResult for invalid bytes. */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new UnfitResult(
      'The result has bytes that are not valid UTF-8. Return image(…), audio(…) or embeddedResource(…)',
    )
  }
}
