import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ScannedFolder, toolClass } from './scanned-folder.js'

const fails = "throw new Error('it was loaded')"

describe('a scanned folder with tests, mocks and links', () => {
  let folder: ScannedFolder
  beforeEach(() => {
    folder = new ScannedFolder()
    folder.write('tools/words.js', toolClass('WordTools', ['count']))
  })
  afterEach(() => folder.remove())

  const link = (target: string, path: string): void => symlinkSync(target, join(folder.path, path), 'junction')

  /** The lines about modules and about skipped files. */
  const explain = async (): Promise<readonly string[]> => {
    const report = await folder.explain('tools')
    const [, modules = report] = report.split('\n\n', 1 + 1)
    const leftOut = report.split('\n\n').slice(2)
    return [modules, ...leftOut].join('\n').replaceAll(/ {2,}/g, '  ').trimEnd().split('\n')
  }

  it('skips conventional tests, mocks, stories and benchmarks, and reports the skipped files', async () => {
    const files = [
      'app.e2e-spec.js',
      'app.e2e.js',
      'app.int-test.mjs',
      'deep/app.spec.js',
      'words.bench.js',
      'words.mock.js',
      'words.stories.js',
      'words.test.js',
    ]
    for (const file of files) folder.write(`tools/${file}`, fails)
    for (const name of ['__mocks__', '__tests__', 'deep/__tests__', 'node_modules']) {
      folder.write(`tools/${name}/words.js`, fails)
    }
    folder.write('tools/types.d.ts', fails)
    folder.write('tools/latest.js', toolClass('LatestTools', ['latest']))
    folder.write('tools/test.js', toolClass('TestTools', ['test']))

    expect(await explain()).toEqual([
      'Modules scanned: 3',
      '  module  found',
      '  tools/latest.js  LatestTools',
      '  tools/test.js  TestTools',
      '  tools/words.js  WordTools',
      'Left out of the scan: 12',
      '  file or folder  why',
      '  tools/__mocks__/  a folder of mocks',
      '  tools/__tests__/  a folder of tests',
      '  tools/app.e2e-spec.js  a test, by its name',
      '  tools/app.e2e.js  a test, by its name',
      '  tools/app.int-test.mjs  a test, by its name',
      '  tools/deep/__tests__/  a folder of tests',
      '  tools/deep/app.spec.js  a test, by its name',
      '  tools/node_modules/  a folder of dependencies',
      '  tools/words.bench.js  a benchmark, by its name',
      '  tools/words.mock.js  a mock, by its name',
      '  tools/words.stories.js  a story, by its name',
      '  tools/words.test.js  a test, by its name',
    ])
  })

  it('follows links to files and folders, and ends at cycles', async () => {
    folder.write('elsewhere/one.js', toolClass('OneTools', ['one']))
    folder.write('shared/deep/two.js', toolClass('TwoTools', ['two']))
    link('../elsewhere/one.js', 'tools/one.js')
    link('../shared', 'tools/shared')
    link(join(folder.path, 'shared'), 'shared/deep/again')
    link(join(folder.path, 'tools'), 'tools/self')
    link(folder.path, 'tools/up')
    link('nowhere.js', 'tools/gone.js')
    link('itself.js', 'tools/itself.js')
    link('words.js', 'tools/words.test.js')

    expect(await explain()).toEqual([
      'Modules scanned: 3',
      '  module  found',
      '  tools/one.js  OneTools',
      '  tools/shared/deep/two.js  TwoTools',
      '  tools/words.js  WordTools',
      'Left out of the scan: 6',
      '  file or folder  why',
      '  tools/gone.js  a broken link',
      '  tools/itself.js  a broken link',
      '  tools/self/  a link to a folder that is scanned anyway',
      '  tools/shared/deep/again/  a link to a folder that is scanned anyway',
      '  tools/up/  a link to a parent folder',
      '  tools/words.test.js  a test, by its name',
    ])
  })

  it('serves a module once, even if a link leads to it as well', async () => {
    link('words.js', 'tools/zwei.js')

    expect((await folder.explain('tools')).match(/^Modules scanned: .*|^ {2}tools\/.*/gm)).toEqual([
      'Modules scanned: 1',
      '  tools/words.js  WordTools',
    ])
  })
})

test('a scanned folder that contains only tests is reported with the skipped files', async () => {
  const folder = new ScannedFolder()
  folder.write('tools/__tests__/words.js', fails)
  folder.write('tools/words.e2e-spec.js', fails)
  const report = await folder.explain('tools')
  folder.remove()

  expect(report).toContain(
    'tools/__tests__/ was left out: a folder of tests. tools/words.e2e-spec.js was left out: a test, by its name.',
  )
})
