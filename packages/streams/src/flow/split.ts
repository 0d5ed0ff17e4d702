/**
 * Maximum bytes of the payload of a frame. Larger chunks are sent in several frames, so that other streams can send in
 * between.
 */
export const maxPayload = 64 * 1024

/**
 * Splits bytes into payloads of frames.
 *
 * @param most Maximum bytes that the other side accepts in one payload.
 * @throws TypeError for a chunk that is not bytes.
 */
export function* splitBytes(chunk: unknown, most = maxPayload): Generator<Uint8Array> {
  const bytes = toBytes(chunk)
  const length = Math.min(most, maxPayload)
  if (bytes.length <= length) {
    yield bytes
    return
  }
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
}

function toBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk)
  const found = chunk === null ? 'null' : typeof chunk
  throw new TypeError(`A chunk of a binary stream must be a Uint8Array, but is ${found}. Encode text with TextEncoder.`)
}
