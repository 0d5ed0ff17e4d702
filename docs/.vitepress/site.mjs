// The addresses of the site. All of them follow from `repository` in the package.json of the workspace.
import { readFileSync } from 'node:fs'

/** Root of the repository. */
export const root = new URL('../../', import.meta.url)

export const { repository } = readJson('package.json')
export const { version } = readJson('packages/toolwright/package.json')

const [owner, name] = new URL(repository).pathname.slice(1).split('/')

/** Public address of this build. `DOCS_URL` replaces it, for an older version or a domain. */
export const siteUrl = process.env.DOCS_URL ?? `https://${owner}.github.io/${name}/`

/** Branch or tag that links into the repository lead to. */
export const ref = process.env.DOCS_REF ?? 'main'

/** Older versions that are served beside this one: `[{ "version": "0.1", "url": "https://…/v0.1/" }]`. */
export const olderVersions = readJson('docs/.vitepress/versions.json')

/** @param path Relative to the root of the repository. */
export function urlInRepository(path) {
  const isFolder = !/\.\w+$|^LICENSE$/.test(path)
  return `${repository}/${isFolder ? 'tree' : 'blob'}/${ref}/${path}`
}

function readJson(path) {
  return JSON.parse(readFileSync(new URL(path, root), 'utf8'))
}
