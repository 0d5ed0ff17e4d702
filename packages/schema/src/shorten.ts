/**
 * Truncates untrusted text, so that messages with this text stay small. Also replaces lone surrogates, because strict JSON parsers
 * reject them.
 */
export function shorten(text: string, maxLength = 128): string {
  if (text.length <= maxLength) return text.toWellFormed()
  // Copies the string, because a slice would keep the whole original string in memory.
  return `${Buffer.from(text.slice(0, maxLength)).toString()}…`
}
