/** Error codes of pnpm and of Node if the scan was impossible: no network, or a registry without an audit endpoint. */
const unreachable =
  /^(E(CONN|TIMEDOUT|AI_AGAIN|NOTFOUND|HOSTUNREACH|NETUNREACH)\w*|ERR_PNPM_AUDIT_(BAD_RESPONSE|ENDPOINT_NOT_EXISTS))$/

/**
 * Reads the output of `pnpm audit --json`. An impossible scan is reported, but not a failure: without a network, or
 * on a mirror without that endpoint, nothing is known about the dependencies. Unexpected output is a failure.
 *
 * @returns {{ isGood: boolean, text: string }}
 */
export function judgeAudit(printed) {
  const report = parse(printed)
  const { error, metadata, advisories } = report
  if (error !== undefined) {
    const { code, message } = error
    if (unreachable.test(code)) return { isGood: true, text: whyNot(message) }
    return { isGood: false, text: `pnpm audit failed: ${message}` }
  }
  if (metadata === undefined) return { isGood: false, text: `pnpm audit printed no report: ${printed}` }
  const found = Object.values(advisories).filter(({ severity }) => severity === 'high' || severity === 'critical')
  if (found.length === 0) return { isGood: true, text: 'no known vulnerability that is high or critical' }
  const lines = found.map(
    ({ module_name: name, vulnerable_versions: versions, severity, title, url }) =>
      `${name} ${versions}: ${title} (${severity}, ${url})`,
  )
  return { isGood: false, text: lines.join('\n') }
}

function whyNot(message) {
  return /responded with (404|405|501)\b/.test(message)
    ? 'not scanned: the registry has no audit endpoint'
    : `not scanned: ${message}`
}

function parse(printed) {
  try {
    // If pnpm could not be started, the output is empty.
    return JSON.parse(printed) ?? {}
  } catch {
    return {}
  }
}
