/**
 * Maximum bytes of the payload of a frame. Larger chunks are sent in several frames, so that other streams can send in
 * between.
 */
export const maxPayload = 64 * 1024

/** Splits bytes into payloads of frames. @throws TypeError for a chunk that is not bytes. */
export function* splitBytes(chunk: unknown): Generator<Uint8Array> {
  const bytes = toBytes(chunk)
  if (bytes.length <= maxPayload) {
    yield bytes
    return
  }
  for (let start = 0; start < bytes.length; start += maxPayload) yield bytes.subarray(start, start + maxPayload)
}

function toBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk)
  const found = chunk === null ? 'null' : typeof chunk
  throw new TypeError(`A chunk of a binary stream must be a Uint8Array, but is ${found}. Encode text with TextEncoder.`)
}
