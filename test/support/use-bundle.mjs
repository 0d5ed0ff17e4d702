// Runs before all tests. Programs that tests start load the bundle of core, as users of the packed package do: that halves
// the time of a start.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleCore } from '../../scripts/bundle-core.mjs'

const core = fileURLToPath(new URL('../../packages/core', import.meta.url))

export default function useBundle() {
  const bundle = join(core, 'bundle')
  const built = modified(join(core, 'dist'))
  if (built === null) return
  if (built > (modified(bundle) ?? 0)) bundleCore(bundle)
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --conditions=toolwright-bundle`.trim()
}

/** @returns Time of the newest module in a folder; `null` without modules. */
function modified(folder) {
  if (!existsSync(folder)) return null
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(({ name }) => name.endsWith('.js'))
  const times = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs)
  return times.length === 0 ? null : Math.max(...times)
}
