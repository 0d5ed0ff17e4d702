import { runCommand } from '../run-command.js'

/** A name that no resolver knows: RFC 6761. */
const url = 'http://server.invalid/mcp'

function list(target: string, env: Readonly<Record<string, string>>) {
  return runCommand(['list', target], { env: { HTTP_PROXY: '', http_proxy: '', NODE_USE_ENV_PROXY: '', ...env } })
}

test('a failed connection names the proxy that Node ignores', async () => {
  const results = await Promise.all([
    list(url, { http_proxy: 'http://127.0.0.1:1' }),
    list(url, {}),
    list('http://127.0.0.1:1/mcp', { HTTP_PROXY: 'http://127.0.0.1:1' }),
  ])
  expect(
    results.map(({ code, stderr }) => [code, stderr.includes('HTTP_PROXY is set, but Node uses it only with')]),
  ).toEqual([
    [2, true],
    [2, false],
    [2, false],
  ])
})
