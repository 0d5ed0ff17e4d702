import type { Catalog } from 'toolwright'
import type { Library } from './pages/library.js'
import type { Page } from './pages/page.js'

export function uriOf({ path }: Pick<Page, 'path'>): string {
  return `docs://${encodeURI(path)}`
}

/**
 * Adds a resource for each page, so that users can attach pages to a
 * conversation.
 */
export function servePages(catalog: Catalog, library: Library): void {
  for (const page of library.pages) {
    catalog.addResource({
      uri: uriOf(page),
      name: page.path,
      title: page.title,
      description: page.description,
      mimeType: 'text/markdown',
      size: Buffer.byteLength(page.text),
      handler: () => page.text,
    })
  }
}
