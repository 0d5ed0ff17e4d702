// Draws a session in a terminal above a screenshot, as an SVG that shows its last frame first, and then plays once.

const width = 1040
const margin = 1
const rowHeight = 22
const characterWidth = 8.7
const fontSize = 14.5
const bar = 38
const visibleRows = 15

const themes = {
  light: {
    window: '#fbfaf8',
    bar: '#f1eeea',
    line: '#ddd7d0',
    text: '#2b2825',
    dim: '#6f6860',
    red: '#b3261e',
    green: '#1a6d3c',
    yellow: '#83510a',
    blue: '#2456c8',
    magenta: '#7a3d9c',
    cyan: '#0b6577',
    grey: '#6f6860',
  },
  dark: {
    window: '#161514',
    bar: '#211f1e',
    line: '#3a3633',
    text: '#e8e4df',
    dim: '#9b938a',
    red: '#ff9b92',
    green: '#6fcf97',
    yellow: '#eec06c',
    blue: '#84a9ff',
    magenta: '#d3a3ef',
    cyan: '#74cfe0',
    grey: '#9b938a',
  },
}

/**
 * @param theme `light` or `dark`.
 * @param rows Rows of the terminal, each with the second at which it appears.
 * @param shot Screenshot below: its bytes, size, and the second at which it appears.
 */
export function drawPicture(theme, rows, shot) {
  const colors = themes[theme]
  const terminal = { y: margin, height: bar + visibleRows * rowHeight + 26 }
  const picture = { y: terminal.y + terminal.height + 20, height: (shot.height * (width - 2 * margin)) / shot.width }
  const height = Math.ceil(picture.y + picture.height + margin)
  const image = `data:image/webp;base64,${shot.bytes.toString('base64')}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<style>
text { font: ${fontSize}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: ${colors.text}; white-space: pre }
${Object.entries(colors)
  .slice(4)
  .map(([name, color]) => `.${name} { fill: ${color} }`)
  .join('\n')}
.bold { font-weight: 600 }
@media (prefers-reduced-motion: no-preference) {
.late { animation: hide step-end ${pause}s }
.scroll { animation: scroll ${round(rows.at(-1).second)}s step-end ${pause}s }
.shot { animation: hide ${round(shot.second)}s step-end ${pause}s }
}
@keyframes hide { from { opacity: 0 } }
${drawScroll(rows)}
</style>
<clipPath id="window"><rect x="${margin}" y="${terminal.y + bar + 13}" width="${width - 2 * margin}" height="${terminal.height - bar - 14}"/></clipPath>
<clipPath id="shot"><rect x="${margin}" y="${picture.y}" width="${width - 2 * margin}" height="${picture.height}" rx="10"/></clipPath>
<rect x="${margin}" y="${terminal.y}" width="${width - 2 * margin}" height="${terminal.height}" rx="10" fill="${colors.window}" stroke="${colors.line}"/>
<path d="M${margin} ${terminal.y + bar}h${width - 2 * margin}" stroke="${colors.line}"/>
${[0, 1, 2].map((dot) => `<circle cx="${24 + dot * 20}" cy="${terminal.y + bar / 2}" r="5.5" fill="${colors.line}"/>`).join('')}
<g clip-path="url(#window)"><g class="scroll" transform="translate(0 ${-hiddenHeight(rows.length)})">
${rows.map((row, index) => drawRow(row, terminal.y + bar + 30 + index * rowHeight)).join('\n')}
</g></g>
<rect x="${margin}" y="${picture.y}" width="${width - 2 * margin}" height="${picture.height}" rx="10" fill="none" stroke="${colors.line}"/>
<g class="shot">
<image x="${margin}" y="${picture.y}" width="${width - 2 * margin}" height="${picture.height}" clip-path="url(#shot)" href="${image}"/>
</g>
</svg>
`
}

/** Seconds for which the picture shows its last frame before the animation begins. */
const pause = 3

const hiddenHeight = (count) => Math.max(0, count - visibleRows) * rowHeight

function drawRow({ runs, second }, y) {
  const texts = runs.map(({ x, kind, text }) => {
    const size = `x="${round(24 + x * characterWidth)}" y="${y}" textLength="${round([...text].length * characterWidth)}"`
    return `<text ${size} lengthAdjust="spacingAndGlyphs"${kind === '' ? '' : ` class="${kind}"`}>${escapeText(text)}</text>`
  })
  return texts.length === 0 ? '' : `<g class="late" style="animation-duration:${round(second)}s">${texts.join('')}</g>`
}

/** Scrolls like a terminal: by as many rows as have appeared below its end. */
function drawScroll(rows) {
  const total = rows.at(-1).second
  const steps = rows.map(({ second }, index) => {
    const percent = round((100 * second) / total)
    return `${percent}% { transform: translate(0, ${-hiddenHeight(index + 1)}px) }`
  })
  return `@keyframes scroll {\n0% { transform: none }\n${steps.join('\n')}\n}`
}

function escapeText(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function round(number) {
  return Math.round(number * 100) / 100
}
