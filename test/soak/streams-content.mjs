import { createHash } from 'node:crypto'

const pieceLength = 64 * 1024

/** Bytes that differ from piece to piece, so that a lost or repeated piece changes the hash. */
export function* pieces(bytes) {
  for (let start = 0; start < bytes; start += pieceLength) {
    const piece = Buffer.alloc(Math.min(pieceLength, bytes - start), start / pieceLength)
    if (piece.length >= 8) piece.writeDoubleLE(start, 0)
    yield piece
  }
}

export function hashOfContent(bytes) {
  const hash = createHash('sha256')
  for (const piece of pieces(bytes)) hash.update(piece)
  return hash.digest('hex')
}

export async function hashOfStream(readable) {
  const hash = createHash('sha256')
  for await (const chunk of readable) hash.update(chunk)
  return hash.digest('hex')
}

export async function upload(bytes, writable) {
  const writer = writable.getWriter()
  for (const piece of pieces(bytes)) await writer.write(piece)
  await writer.close()
}
