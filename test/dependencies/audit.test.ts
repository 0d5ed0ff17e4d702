import { judgeAudit } from '../../scripts/judge-audit.mjs'

const clean = { advisories: {}, metadata: { vulnerabilities: { high: 0 } } }

function advisory(severity: string): object {
  return { module_name: 'yaml', vulnerable_versions: '<9', severity, title: 'Bad', url: 'https://example.com/1' }
}

function failed(code: string, message: string): string {
  return JSON.stringify({ error: { code, message } })
}

it.each([
  ['nothing', JSON.stringify(clean), true, 'no known vulnerability that is high or critical'],
  [
    'moderate vulnerabilities',
    JSON.stringify({ ...clean, advisories: { 1: advisory('moderate') } }),
    true,
    'no known vulnerability that is high or critical',
  ],
  [
    'high and critical vulnerabilities',
    JSON.stringify({ ...clean, advisories: { 1: advisory('high'), 2: advisory('low'), 3: advisory('critical') } }),
    false,
    'yaml <9: Bad (high, https://example.com/1)\nyaml <9: Bad (critical, https://example.com/1)',
  ],
  [
    'no endpoint',
    failed('ERR_PNPM_AUDIT_BAD_RESPONSE', 'The audit endpoint (at X) responded with 405: .'),
    true,
    'not scanned: the registry has no audit endpoint',
  ],
  [
    'a broken registry',
    failed('ERR_PNPM_AUDIT_BAD_RESPONSE', 'The audit endpoint (at X) responded with 502: .'),
    true,
    'not scanned: The audit endpoint (at X) responded with 502: .',
  ],
  ['no network', failed('ECONNREFUSED', 'request to X failed'), true, 'not scanned: request to X failed'],
  ['an empty response', 'ERROR', false, 'pnpm audit printed no report: ERROR'],
  [
    'no lockfile',
    failed('ERR_PNPM_AUDIT_NO_LOCKFILE', 'No pnpm-lock.yaml found'),
    false,
    'pnpm audit failed: No pnpm-lock.yaml found',
  ],
  ['a report in another format', '{"some":1}', false, 'pnpm audit printed no report: {"some":1}'],
])('the judgement of a vulnerability scan is correct for %s', (_what, printed, isGood, text) => {
  expect(judgeAudit(printed)).toEqual({ isGood, text })
})
