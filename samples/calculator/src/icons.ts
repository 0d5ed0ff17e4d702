import type { Icon } from 'toolwright'

/** Draws a character on a tile, as an icon that needs no web server. */
export function glyphIcons(glyph: string): readonly Icon[] {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="#2d6cdf"/>' +
    `<text x="24" y="34" font-size="30" font-family="sans-serif" text-anchor="middle" fill="#fff">${glyph}</text></svg>`
  const src = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
  return [{ src, mimeType: 'image/svg+xml', sizes: ['any'] }]
}
