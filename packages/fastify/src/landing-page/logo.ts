import { Html } from '@toolwright/server/host'

/** The logo, as in `docs/public/logo.svg`. A test compares the two. */
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
  '<rect width="32" height="32" rx="7" fill="#b5470f"/>' +
  '<path fill="#fff" d="M7 8h18v5h-3v-1h-4v13h-4V12h-4v1H7z"/></svg>'

export const logo = new Html(
  svg.replace('<svg xmlns="http://www.w3.org/2000/svg"', '<svg class="logo" aria-hidden="true"'),
)

export const icon = new Html(
  `<link rel="icon" type="image/svg+xml" href="data:image/svg+xml,${encodeURIComponent(svg)}">`,
)
