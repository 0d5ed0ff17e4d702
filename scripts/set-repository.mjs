// Writes `repository`, `homepage` and `bugs` of all packages, from `repository` in the package.json of the workspace: the
// one line to change when the repository moves. Run it after that change.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const { repository } = readManifest(root)

for (const name of readdirSync(new URL('packages/', root))) {
  const folder = new URL(`packages/${name}/`, root)
  const manifest = { ...readManifest(folder), ...describe(name) }
  writeFileSync(new URL('package.json', folder), `${JSON.stringify(order(manifest), null, 2)}\n`)
}

function describe(name) {
  return {
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: 'git', url: `git+${repository}.git`, directory: `packages/${name}` },
  }
}

/** Puts the three members behind `license`. */
function order({ homepage, bugs, repository: written, ...manifest }) {
  const entries = Object.entries(manifest)
  const at = entries.findIndex(([key]) => key === 'license') + 1
  return Object.fromEntries(entries.toSpliced(at, 0, ['homepage', homepage], ['bugs', bugs], ['repository', written]))
}

function readManifest(folder) {
  return JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'))
}
