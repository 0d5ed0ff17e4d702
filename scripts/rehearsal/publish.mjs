import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeStaleOutput } from '../remove-stale-output.mjs'
import { run } from './run.mjs'

const root = join(import.meta.dirname, '..', '..')

/**
 * Publishes all packages as the release workflow does, without tags in git.
 *
 * @returns {Promise<readonly Published[]>}
 *
 * @typedef {object} Published
 * @property {string} name
 * @property {string} version
 * @property {string} tarball Its address.
 */
export async function publishPackages(environment, { url, token }) {
  removeStaleOutput()
  const settings = join(environment.HOME, 'publisher.npmrc')
  writeFileSync(settings, `registry=${url}\n${url.replace('http:', '')}:_authToken=${token}\n`)
  const env = { ...environment, NPM_CONFIG_USERCONFIG: settings }
  await run('npx', ['--yes', 'pnpm@10', 'exec', 'changeset', 'publish', '--no-git-tag'], { cwd: root, env })
  return Promise.all(readManifests().map((manifest) => findPublished(url, manifest)))
}

function readManifests() {
  return readdirSync(join(root, 'packages')).map((name) =>
    JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')),
  )
}

async function findPublished(url, { name, version }) {
  const response = await fetch(`${url}${name.replace('/', '%2f')}`)
  const { versions = {} } = await response.json()
  const found = versions[version]
  if (found === undefined) throw new Error(`${name} ${version} was not published`)
  return { name, version, tarball: found.dist.tarball }
}
