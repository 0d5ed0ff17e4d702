/** Whether this process has a version of Node in a range such as `>=22.13`. */
export function isSupportedNode(range: string): boolean {
  const [major = 0, minor = 0] = range.replace(/^>=/, '').split('.').map(Number)
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}
