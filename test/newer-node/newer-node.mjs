import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

/**
 * Supported versions of Node that are newer than the one that runs the other tests: the newest two, the oldest first.
 * `package.json` contains their packages, as `node-MAJOR-PLATFORM`. Those packages contain a binary without an install
 * script, and only those for this machine are installed.
 */
const versions = [24, 26]

/**
 * Paths of the versions that are at least as new as this Node, including this Node itself if it is new enough: at least
 * one. The official suite uses functions that Node 20 lacks, and supported versions must be tested.
 */
export function findNewerNodes() {
  const major = Number(process.versions.node.split('.')[0])
  const newer = versions.filter((version) => version > major).map(findNode)
  return major >= versions[0] ? [process.execPath, ...newer] : newer
}

function findNode(version) {
  const platform = `${process.platform}-${process.arch}`
  const binary = resolveBinary(`node-${version}-${platform}`)
  if (binary !== null && runs(binary)) return binary
  throw new Error(
    `This command needs Node ${version}, but runs with Node ${process.versions.node}, and the npm package of Node ` +
      `${version} for ${platform} is not installed. Run \`npx pnpm@10 install\` with optional dependencies, or start this ` +
      `command with Node ${versions.at(-1)}.`,
  )
}

function resolveBinary(name) {
  const file = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'
  try {
    return createRequire(import.meta.url).resolve(`${name}/${file}`)
  } catch {
    return null
  }
}

/** A binary made for glibc is installed on musl as well, where it does not run. */
function runs(binary) {
  return spawnSync(binary, ['--version']).status === 0
}
