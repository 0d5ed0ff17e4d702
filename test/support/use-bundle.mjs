// Runs before all tests. Programs that tests start load the bundles, as users of the packed packages do: that halves the time
// of a start.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledPackages, bundlePackage } from '../../scripts/bundle-packages.mjs'

const packages = fileURLToPath(new URL('../../packages', import.meta.url))

export default async function useBundle() {
  for (const name of bundledPackages) {
    const built = modified(join(packages, name, 'dist'))
    if (built === null) return
    if (built > (modified(join(packages, name, 'bundle')) ?? 0)) await bundlePackage(name)
  }
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --conditions=toolwright-bundle`.trim()
}

/** @returns Time of the newest module in a folder; `null` without modules. */
function modified(folder) {
  if (!existsSync(folder)) return null
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(({ name }) => name.endsWith('.js'))
  const times = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs)
  return times.length === 0 ? null : Math.max(...times)
}
