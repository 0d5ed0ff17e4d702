import { guidKey, guidLength } from './guid.js'

/** Bytes before the payload: the GUID of the stream, and the index of the chunk as a little-endian 64-bit integer. */
export const headerLength = guidLength + 8

export interface BinaryFrame {
  /** See {@link guidKey}. */
  readonly key: string
  /** Index of the chunk, exact up to 2^53. */
  readonly index: number
  readonly payload: Uint8Array
}

export function encodeFrame(guid: Uint8Array, index: number, payload: Uint8Array): Uint8Array {
  const frame = allocate(headerLength + payload.length)
  frame.set(guid)
  const view = new DataView(frame.buffer, frame.byteOffset, headerLength)
  view.setUint32(guidLength, index % 2 ** 32, true)
  view.setUint32(guidLength + 4, Math.floor(index / 2 ** 32), true)
  frame.set(payload, headerLength)
  return frame
}

/** Decodes a frame. The payload shares the memory of the frame. @returns `null` for a frame without a whole header. */
export function decodeFrame(frame: Uint8Array): BinaryFrame | null {
  if (frame.length < headerLength) return null
  const view = new DataView(frame.buffer, frame.byteOffset, headerLength)
  const index = view.getUint32(guidLength, true) + view.getInt32(guidLength + 4, true) * 2 ** 32
  return { key: guidKey(frame), index, payload: frame.subarray(headerLength) }
}

/** Allocates memory that is overwritten at once. In Node, the memory is not filled with zeros first. */
function allocate(length: number): Uint8Array {
  const { Buffer: nodeBuffer } = globalThis as { readonly Buffer?: { allocUnsafe(length: number): Uint8Array } }
  return nodeBuffer === undefined ? new Uint8Array(length) : nodeBuffer.allocUnsafe(length)
}
