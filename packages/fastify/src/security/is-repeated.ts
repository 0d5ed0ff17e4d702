/**
 * Whether a header that has to be there once is there twice. Node keeps the first, and something in front of it may have
 * looked at the last.
 *
 * @param name In small letters.
 */
export function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] as string
    if (header.length === name.length && header.toLowerCase() === name) count++
  }
  return count > 1
}
