import { container, serve } from 'toolwright'
import { config } from './config.js'
import { Library } from './pages/library.js'
import { readPages } from './pages/read-pages.js'
import { servePages } from './serve-pages.js'

const library = new Library(readPages(config.PAGES))
container.registerInstance(Library, library)

await serve({
  name: 'docs',
  version: '1.0.0',
  title: 'Documentation',
  instructions:
    'Search the pages before you answer, and read the page or the section that fits. Name the page in your answer.',
  scan: new URL('./tools/', import.meta.url),
  onReady: ({ catalog }) => servePages(catalog, library),
})
