import { stemmer } from 'stemmer'
import { plain } from './read-pages.js'

const maxLength = 240

/**
 * Returns text of a section, from the sentence or table row that contains most
 * of the found words.
 */
export function excerptOf(markdown: string, stems: readonly string[]): string {
  const pieces = splitPieces(markdown)
  const counts = pieces.map((piece) => countFound(piece, stems))
  const best = counts.indexOf(Math.max(...counts))
  const text = pieces.slice(best).join(' ')
  return text.length <= maxLength
    ? text
    : `${text.slice(0, maxLength).replace(/\s+\S*$/, '')} …`
}

/** Omits the heading and code. */
function splitPieces(markdown: string): readonly string[] {
  const [, ...lines] = markdown
    .replaceAll(/^(```|~~~)[^]*?^\1$/gm, '')
    .split('\n')
  const rows = lines.filter(
    (line) => line.startsWith('|') && !line.startsWith('| ---'),
  )
  const prose = lines.filter((line) => !line.startsWith('|')).join('\n')
  const sentences = prose.split(/\n{2,}|\n(?=- )|(?<=[.!?]) (?=[A-Z`])/)
  const cells = rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .map(plain)
      .filter(Boolean)
      .join(', '),
  )
  return [
    ...sentences.map((sentence) => plain(sentence.replace(/^- /, ''))),
    ...cells,
  ].filter(Boolean)
}

function countFound(text: string, stems: readonly string[]): number {
  const words = new Set(
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.map(stemmer),
  )
  return stems.filter((stem) => words.has(stem)).length
}
