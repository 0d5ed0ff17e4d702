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
