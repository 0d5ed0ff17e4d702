// Text of a document ends up in front of a model. Control characters and tag characters are invisible to the reader of a document.
const hidden =
  // oxlint-disable-next-line no-control-regex
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu

// A model needs the words of a link, and not its target. The targets are a fifth of GitHub's descriptions.
const links = /\[([^\][]{0,200})\]\([^()\s]{0,500}\)/g

/** Removes invisible characters and the targets of links, and shortens the text to `limit` characters. */
export function cleanText(text: unknown, limit: number): string {
  if (typeof text !== 'string') return ''
  // Only the beginning can be part of the result: a document can have megabytes of text.
  const begin = text.slice(0, limit * 4).toWellFormed()
  const clean = begin
    .replace(hidden, '')
    .replace(links, '$1')
    .replace(/\s*\n\s*\n\s*/g, '\n')
    .trim()
  return clean.length <= limit
    ? clean
    : `${clean
        .slice(0, limit - 1)
        .toWellFormed()
        .replace(/[\ufffd\s]+$/, '')}…`
}
