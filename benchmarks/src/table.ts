/** Renders a Markdown table with aligned columns. All columns but the first contain figures, and are aligned right. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]): string => `| ${cells.map((cell, column) => pad(cell, column)).join(' | ')} |`
  const pad = (cell: string, column: number): string => {
    const width = widths[column] ?? 0
    return column === 0 ? cell.padEnd(width) : cell.padStart(width)
  }
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}
