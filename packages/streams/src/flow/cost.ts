import { bytesOf } from '../wire/messages.js'

/** Bytes that flow control counts for each chunk in addition to its frame, because even an empty chunk takes memory. */
export const chunkOverhead = 256

export function lengthOf(frame: string | Uint8Array): number {
  return typeof frame === 'string' ? bytesOf(frame) : frame.length
}

/**
 * Returns the maximum bytes of a frame with a chunk. Consumed bytes are granted again in quarters of the window, so only three
 * quarters are certain to become free.
 */
export function maxFrameIn(windowBytes: number): number {
  return Math.floor((windowBytes * 3) / 4) - chunkOverhead
}
