import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Tests for Node's own runner, beside the code of each sample. A project that `npm create toolwright` begins with the
// sample has them as its own.

const samples = join(__dirname, '..', '..', 'samples')

/** Compiled tests of a sample. */
function findTests(name: string): readonly string[] {
  const dist = join(samples, name, 'dist')
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  return files.filter((file) => file.endsWith('.test.js')).map((file) => join(dist, file))
}

/** Whether the sample supports this version of Node. */
function isSupported(name: string): boolean {
  const { engines } = JSON.parse(readFileSync(join(samples, name, 'package.json'), 'utf8')) as {
    engines: { node: string }
  }
  const [, major, minor] = /^>=(\d+)\.(\d+)/.exec(engines.node) ?? []
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split('.').map(Number)
  return ownMajor > Number(major) || (ownMajor === Number(major) && ownMinor >= Number(minor))
}

const names = readdirSync(samples).filter((name) => existsSync(join(samples, name, 'src', 'main.ts')))

test.each(names)("the sample %s has a test for Node's runner", (name) => {
  expect(findTests(name)).not.toEqual([])
})

test("the tests of all samples for Node's runner pass", () => {
  const files = names.filter(isSupported).flatMap(findTests)
  // In one process: `node --test` would start one for each file, which takes five times as long.
  const program = files.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)})`).join('\n')
  const flags = ['--test-reporter=tap', '--input-type=module', '--eval', program]
  const { status, stdout } = spawnSync(process.execPath, flags, { encoding: 'utf8' })
  expect(stdout.match(/^ *not ok .*$/gm)).toBeNull()
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThanOrEqual(files.length)
  expect(status).toBe(0)
})
