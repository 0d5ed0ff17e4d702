import { createHash } from 'node:crypto'

const pieceLength = 64 * 1024

/** Bytes that differ from piece to piece, so that a lost or repeated piece changes the hash. */
export function* pieces(bytes: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes; start += pieceLength) {
    const piece = Buffer.alloc(Math.min(pieceLength, bytes - start), start / pieceLength)
    if (piece.length >= 8) piece.writeDoubleLE(start, 0)
    yield piece
  }
}

export function hashOf(chunks: Iterable<Uint8Array>): string {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

export function hashOfContent(bytes: number): string {
  return hashOf(pieces(bytes))
}

/** Writes content and closes. */
export async function upload(bytes: number, writable: WritableStream<Uint8Array>): Promise<void> {
  const writer = writable.getWriter()
  for (const piece of pieces(bytes)) await writer.write(piece)
  await writer.close()
}

export async function readAll<Chunk>(readable: ReadableStream<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of readable) chunks.push(chunk)
  return chunks
}

/** Hashes a stream as it arrives. */
export async function hashOfStream(readable: ReadableStream<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of readable) hash.update(chunk)
  return hash.digest('hex')
}
