// Draws the Mermaid diagrams of the pages while the site is built: readers load no program for them.
import { renderMermaidSVG } from 'beautiful-mermaid'

const colors = {
  bg: 'var(--vp-c-bg)',
  fg: 'var(--vp-c-text-1)',
  line: 'var(--vp-c-text-3)',
  accent: 'var(--vp-c-brand-1)',
  muted: 'var(--vp-c-text-2)',
  surface: 'var(--vp-c-bg-soft)',
  border: 'var(--vp-c-border)',
}

/** Plugin of markdown-it. */
export function drawDiagrams(markdown) {
  const { fence } = markdown.renderer.rules
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index]
    return info.trim() === 'mermaid' ? draw(content) : fence(tokens, index, ...rest)
  }
}

function draw(source) {
  const options = { ...colors, font: 'system-ui', transparent: true, padding: 8, nodeSpacing: 20, layerSpacing: 32 }
  // The font of the site, instead of one from another server.
  const svg = renderMermaidSVG(source, options).replaceAll(/@import url\([^)]*\);/g, '')
  const html = JSON.stringify(svg).replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  // Vue rejects style elements in templates.
  return `<div class="diagram" tabindex="0" role="group" aria-label="Diagram" v-html="${html}"></div>\n`
}
