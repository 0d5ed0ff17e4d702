import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ScannedFolder, toolClass } from './scanned-folder.js'

describe('a scanned folder with a compiled module without its source', () => {
  let folder: ScannedFolder
  beforeEach(() => {
    folder = new ScannedFolder()
    folder.write('src/words.ts', '')
    folder.write('src/plain.ts', '')
  })
  afterEach(() => folder.remove())

  const compile = (name: string, code: string, sources = [`../src/${name}.ts`], sourceRoot = ''): void => {
    folder.write(`dist/${name}.js`, `${code}//# sourceMappingURL=${name}.js.map\n`)
    folder.write(`dist/${name}.js.map`, JSON.stringify({ version: 3, sources, sourceRoot, mappings: '' }))
  }

  it('names the source in the report and in the log', async () => {
    compile('words', toolClass('WordTools', ['count']))
    compile('counts', toolClass('CountTools', ['add']))
    compile('rooted', toolClass('RootedTools', ['root']), ['deep/rooted.ts'], '../src')
    compile('plain', 'export {}\n')
    const map = JSON.stringify({ version: 3, sources: ['../src/inline.ts'], mappings: '' })
    const inline = `data:application/json;base64,${Buffer.from(map).toString('base64')}`
    folder.write('dist/inline.js', `${toolClass('InlineTools', ['inline'])}//# sourceMappingURL=${inline}`)
    folder.write('dist/without-map.js', toolClass('OtherTools', ['other']))

    const report = await folder.explain('dist')

    expect(report.replaceAll(/ {2,}/g, '  ')).toContain(
      [
        '  dist/counts.js  CountTools; its source src/counts.ts is gone',
        '  dist/inline.js  InlineTools; its source src/inline.ts is gone',
        '  dist/plain.js  no exported class with a decorated method',
        '  dist/rooted.js  RootedTools; its source src/deep/rooted.ts is gone',
        '  dist/without-map.js  OtherTools',
        '  dist/words.js  WordTools',
        '',
      ].join('\n'),
    )
    expect(report).toMatch(
      /"modules":\["dist\/counts\.js","dist\/inline\.js","dist\/rooted\.js"\],"msg":"the sources of compiled modules are gone: the modules are left from an earlier build. Empty the folder before each build"/,
    )
  })

  it.each(['mjs', 'cjs'])('names the source of a .%s module', async (ending) => {
    compile('words', toolClass('WordTools', ['count']))
    const source = ending === 'mjs' ? 'counts.mts' : 'counts.cts'
    const code = ending === 'mjs' ? toolClass('CountTools', ['add']) : 'exports.none = 0\n'
    folder.write(`dist/counts.${ending}`, `${code}//# sourceMappingURL=counts.${ending}.map\n`)
    const map = { version: 3, file: `counts.${ending}`, sourceRoot: '', sources: [`../src/${source}`], mappings: '' }
    folder.write(`dist/counts.${ending}.map`, JSON.stringify(map))

    expect(await folder.explain('dist')).toContain(`"modules":["dist/counts.${ending}"]`)
  })

  it.each([
    ['a relative path', () => '../src'],
    ['a relative path with a slash', () => '../src/'],
    ['an absolute path', () => join(folder.path, 'src')],
    ['a file URL', () => pathToFileURL(join(folder.path, 'src')).href],
    ['the root of all files', () => '/'],
    ['an address of the web', () => 'https://example.com/src/'],
  ])('names the source if the sourceRoot is %s', async (_root, rootOf) => {
    const root = rootOf()
    compile('words', toolClass('WordTools', ['count']), ['words.ts'], root)
    compile('counts', toolClass('CountTools', ['add']), ['counts.ts'], root)

    expect(await folder.explain('dist')).toContain('"modules":["dist/counts.js"]')
  })

  it('is not reported where all sources are elsewhere, as in an image', async () => {
    compile('counts', toolClass('CountTools', ['add']))
    compile('more', toolClass('MoreTools', ['more']))

    expect(await folder.explain('dist')).not.toMatch(/gone/)
  })

  it('is reported with the files of both modules, when both have a class of the same name', async () => {
    compile('counts', toolClass('WordTools', ['count']))
    compile('words', toolClass('WordTools', ['count']))
    folder.write('dist/index.js', "export * from './words.js'\nexport * from './more.js'")
    folder.write('dist/more.js', toolClass('MoreTools', ['more']))

    expect(await folder.explain('dist')).toBe(
      'The server cannot start: 1 problem found.\n' +
        "  1. Tool 'count' is declared by both WordTools.count (dist/counts.js) and WordTools.count (dist/words.js). " +
        'Rename one, or delete the file if it is left from an earlier build. [duplicate-name]\n',
    )
  })

  it('is reported, if the module cannot be loaded without its source', async () => {
    compile('words', toolClass('WordTools', ['count']))
    compile('counts', "throw new Error('no counts')\n")

    expect(await folder.explain('dist')).toContain(
      '1. scan: dist/counts.js could not be loaded: no counts. ' +
        'Its source src/counts.ts is gone: empty the folder before each build. [module-failed]',
    )
  })
})
