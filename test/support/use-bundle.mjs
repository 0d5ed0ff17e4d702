// Runs before all tests. Programs that tests start load the bundles, as users of the packed packages do: that halves the time
// of a start.
import { bundleStale } from '../../scripts/bundle-packages.mjs'

export default async function useBundle() {
  if (!(await bundleStale())) return
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --conditions=toolwright-bundle`.trim()
}
