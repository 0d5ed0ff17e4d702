import { styleText } from 'node:util'
import { structuredPatch } from 'diff'
import { type Change, documentOf, pathOf } from './change.js'

/** Characters of a line that are shown. Minified files have one line. */
const maxLine = 160

const context = 3

/** Formats a change as lines with `+` and `-`. Secrets, and values of other entries, are hidden. */
export function formatDiff({ before, after, action }: Change, isColoured: boolean): string {
  const document = documentOf(action.client)
  // The real lines are compared, and the same lines with hidden values are shown.
  const shown = [before ?? '', after ?? ''].map((text) => splitLines(document.hide(text, pathOf(action))))
  const [old = [], changed = []] = shown
  const paint = (format: 'green' | 'red' | 'dim', line: string): string =>
    isColoured ? styleText(format, line, { validateStream: false }) : line
  const { hunks } = structuredPatch('', '', before ?? '', after ?? '', '', '', { context })
  const formatted = hunks.map(({ lines, oldStart, newStart }) => {
    let [oldLine, newLine] = [oldStart - 1, newStart - 1]
    return lines.flatMap((line) => {
      const sign = line[0]
      if (sign === '+') return [paint('green', `  + ${cut(changed[newLine++])}`)]
      if (sign === '-') return [paint('red', `  - ${cut(old[oldLine++])}`)]
      if (sign !== ' ') return []
      oldLine++
      return [paint('dim', `    ${cut(changed[newLine++])}`)]
    })
  })
  return formatted.map((lines) => lines.join('\n')).join(`\n${paint('dim', '    ⋮')}\n`)
}

function splitLines(text: string): readonly string[] {
  return text.split(/\r?\n/)
}

function cut(line = ''): string {
  return line.length <= maxLine ? line : `${line.slice(0, maxLine - 1)}…`
}
