const widthOfName = 40
const widthOfCell = 11

/** Maximum number of printed problems of a row: one mistake in the build can cause hundreds. */
const maxProblems = 10

/**
 * Prints a table, a row as soon as it is known.
 *
 * @param {readonly string[]} columns
 * @param {AsyncIterable<Row> | Iterable<Row>} rows
 * @param {string[]} problems Gets the problems of the rows.
 *
 * @typedef {object} Row
 * @property {string} name
 * @property {readonly string[]} cells
 * @property {readonly string[]} problems
 */
export async function printTable([first, ...others], rows, problems) {
  process.stdout.write(formatLine(first, others))
  for await (const { name, cells, problems: found } of rows) {
    process.stdout.write(formatLine(name, found.length === 0 ? cells : [...cells, 'failed']))
    problems.push(...found.slice(0, maxProblems).map((problem) => `${name}: ${problem}`))
    if (found.length > maxProblems) problems.push(`${name}: ${found.length - maxProblems} more problems`)
  }
  process.stdout.write('\n')
}

function formatLine(name, cells) {
  return `${name.padEnd(widthOfName)}${cells.map((cell) => cell.padStart(widthOfCell)).join('')}\n`
}

/** @param {number} bytes */
export function formatSize(bytes) {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
