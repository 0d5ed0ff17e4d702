import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../fixtures/calls.mjs', import.meta.url))
/** Control: code of the program that V8 discards, because nothing references it. */
const lost = new Set(['lose', 'Lost', 'callMany'])
const flags = ['--expose-gc', '--trace-deopt', '--trace-deopt-verbose']

it('a garbage collection between two calls does not discard compiled code', () => {
  const { stdout, status } = spawnSync(process.execPath, [...flags, program], { encoding: 'utf8', timeout: 50_000 })
  expect(status).toBe(0)
  const [plain = '', observed = '', surrounded = ''] = stdout.split('closing')
  for (const trace of [plain, observed, surrounded]) {
    const collections = trace.split('collecting').slice(1).map(thrownAway)
    expect(collections).toHaveLength(8)
    expect(collections.flat()).toContain('lose')
    const ours = collections.map((names) => names.filter((name) => !lost.has(name)))
    // The first collections discard code whose assumptions no longer hold. Without references, each discards at least
    // 11 functions.
    expect(Math.min(...ours.map(({ length }) => length))).toBe(0)
  }
})

/** The functions whose code a collection discarded. */
function thrownAway(trace: string): readonly string[] {
  return [...trace.matchAll(/marking dependent code .*SharedFunctionInfo ([^>]*)>/g)].map(([, name = '']) => name)
}
