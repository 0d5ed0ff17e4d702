import { structuredPatch } from 'diff'
import { cut, paint, safeText } from '../terminal.js'
import { type Change, documentOf, pathOf } from './change.js'

/** Maximum number of characters of a line, because a minified file is one long line. */
const maxLine = 160

const context = 3

/** Formats a change as lines with `+` and `-`. Secrets, and values of other entries, are hidden. */
export function formatDiff({ before, after, action }: Change): string {
  const document = documentOf(action.client)
  // The real lines are compared, but the output has the same lines with hidden values.
  const shown = [before ?? '', after ?? ''].map((text) => splitLines(document.hide(text, pathOf(action))))
  const [old = [], changed = []] = shown
  const { hunks } = structuredPatch('', '', before ?? '', after ?? '', '', '', { context })
  const formatted = hunks.map(({ lines, oldStart, newStart }) => {
    let [oldLine, newLine] = [oldStart - 1, newStart - 1]
    return lines.flatMap((line) => {
      const sign = line[0]
      if (sign === '+') return [paint(process.stdout, 'green', `  + ${lineOf(changed, newLine++)}`)]
      if (sign === '-') return [paint(process.stdout, 'red', `  - ${lineOf(old, oldLine++)}`)]
      if (sign !== ' ') return []
      oldLine++
      return [paint(process.stdout, 'dim', `    ${lineOf(changed, newLine++)}`)]
    })
  })
  return formatted.map((lines) => lines.join('\n')).join(`\n${paint(process.stdout, 'dim', '    ⋮')}\n`)
}

function splitLines(text: string): readonly string[] {
  return text.split(/\r?\n/)
}

function lineOf(lines: readonly string[], index: number): string {
  return cut(safeText(lines[index] ?? ''), maxLine)
}
