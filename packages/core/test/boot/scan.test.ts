// Runs in separate processes, because Jest cannot load the modules of a scan.
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { programs, runNode } from './run-program.js'

const startsServer = 'it starts the server, so the scan cannot wait for it; move its classes to a separate module'
const neverEnds =
  'It imports a module that waits for the server to start, or its own top-level await waits for something that never ' +
  'happens. Scan a folder without it, or move its classes to a separate module.'

const urlOfNested = pathToFileURL(join(programs, 'tools', 'nested', 'deeper')).href
const installed = join(programs, 'installed', 'node_modules', 'server')

const scans = {
  everything: 'tools,more',
  folders: `more,${urlOfNested},tools/nested`,
  installed: 'installed/node_modules/server',
  unreadable: 'nowhere,tools,scan.js,file:///no/folder',
  broken: 'broken',
  importType: 'import-type',
  typescript: '../src/more',
  endless: 'never-ends',
  nothing: 'nothing,nothing/',
  misplaced: 'misplaced',
  hidden: 'hidden',
  empty: 'installed/node_modules/server/node_modules/dependency/empty',
}

const buildFirst =
  'Build first and scan the JavaScript, or start Node with a loader for TypeScript: ' +
  '`node --import @oxc-node/core/register src/main.ts`.'

/** Stands in for newer versions of Node that strip types, with a module that has no types. */
const takesTypesOut = dataUrl(
  `import { register } from 'node:module'; register(${JSON.stringify(
    dataUrl(`export const load = (url, context, next) =>
      next(url, url.endsWith('.ts') ? { ...context, format: 'module' } : context)`),
  )})`,
)

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`
}

// A newer Node would try to load TypeScript itself.
const withoutTypeScript = process.allowedNodeEnvironmentFlags.has('--experimental-strip-types')
  ? ['--no-experimental-strip-types']
  : []

/** Output of `scan.js` for each argument, from one process, because starting a process takes most of the time. */
async function runScans(): Promise<Readonly<Record<keyof typeof scans, string>>> {
  const { stdout } = await runNode([...withoutTypeScript, 'scan.js', ...Object.values(scans)])
  const reports = stdout.split('=====\n')
  return Object.fromEntries(Object.keys(scans).map((name, index) => [name, reports[index]])) as never
}

describe('scan', () => {
  let reports: Awaited<ReturnType<typeof runScans>>

  beforeAll(async () => {
    await cp(join(programs, 'more'), installed, { recursive: true })
    await mkdir(join(installed, 'node_modules', 'dependency'), { recursive: true })
    await writeFile(join(installed, 'node_modules', 'dependency', 'index.js'), "throw new Error('it was loaded')")
    await mkdir(join(installed, 'node_modules', 'dependency', 'empty'))
    reports = await runScans()
  })
  afterAll(() => rm(join(programs, 'installed'), { recursive: true, force: true }))

  it('serves the exported classes of all modules below its folders, and reports every module', () => {
    expect(reports.everything).toBe(
      [
        'Tools served: 5',
        '  tool    method              parameters  input         output',
        '  first   FirstTools.first                no arguments  text (no output schema)',
        '  fourth  FourthTools.fourth              no arguments  text (no output schema)',
        '  more    MoreTools.more                  no arguments  text (no output schema)',
        '  second  SecondTools.second              no arguments  text (no output schema)',
        '  third   ThirdTools.third                no arguments  text (no output schema)',
        '',
        'Modules scanned: 7',
        '  module                               found',
        '  tools/a-tools.js                     FirstTools',
        '  tools/b-tools.js                     SecondTools, ThirdTools',
        '  tools/nested/again.js                FourthTools',
        '  tools/nested/deeper/fourth-tools.js  FourthTools',
        '  tools/nested/no-tools.js             no exported class with a decorated method',
        '  tools/types-only.js                  no exported class with a decorated method',
        '  more/more-tools.js                   MoreTools',
        '',
        'Left out of the scan: 2',
        '  file or folder        why',
        '  tools/fails.spec.js   a test, by its name',
        '  tools/fails.test.mjs  a test, by its name',
        '',
        'Not served:',
        '  HiddenTools has decorated methods, but no scanned module exports it.',
        '',
      ].join('\n'),
    )
  })

  it('visits folders in the given order, and each file once', () => {
    expect(reports.folders).toBe(
      [
        'Tools served: 2',
        '  tool    method              parameters  input         output',
        '  fourth  FourthTools.fourth              no arguments  text (no output schema)',
        '  more    MoreTools.more                  no arguments  text (no output schema)',
        '',
        'Modules scanned: 4',
        '  module                               found',
        '  more/more-tools.js                   MoreTools',
        '  tools/nested/deeper/fourth-tools.js  FourthTools',
        '  tools/nested/again.js                FourthTools',
        '  tools/nested/no-tools.js             no exported class with a decorated method',
        '',
      ].join('\n'),
    )
  })

  it('serves a server that is installed as a dependency, without the dependencies below its folder', () => {
    expect(reports.installed).toBe(
      [
        'Tools served: 1',
        '  tool  method          parameters  input         output',
        '  more  MoreTools.more              no arguments  text (no output schema)',
        '',
        'Modules scanned: 1',
        '  module                                       found',
        '  installed/node_modules/server/more-tools.js  MoreTools',
        '',
        'Left out of the scan: 1',
        '  file or folder                               why',
        '  installed/node_modules/server/node_modules/  a folder of dependencies',
        '',
      ].join('\n'),
    )
  })

  it('reports classes that look like controllers but are not exported or decorated', () => {
    expect(reports.misplaced).toBe(
      [
        'Tools served: 1',
        '  tool       method               parameters  input         output',
        '  inherited  FineTools.inherited              no arguments  text (no output schema)',
        '',
        'Modules scanned: 3',
        '  module                     found',
        '  misplaced/empty-tools.js   no exported class with a decorated method',
        '  misplaced/fine-tools.js    FineTools',
        '  misplaced/hidden-tools.js  no exported class with a decorated method',
        '',
        'Not served:',
        '  HiddenTools has decorated methods, but no scanned module exports it.',
        '  EmptyTools of misplaced/empty-tools.js is a controller without a decorated method.',
        '',
      ].join('\n'),
    )
  })

  it('reports folders that cannot be read', () => {
    const fix = "Give one that exists, such as new URL('./tools/', import.meta.url). [scan-folder-missing]"

    const fromHere = `A relative path is resolved from the working directory, ${programs}. `

    expect(reports.unreadable).toBe(
      [
        'The server cannot start: 3 problems found.',
        "  1. scan: the folder nowhere cannot be read: ENOENT: no such file or directory, scandir 'nowhere'. " +
          fromHere +
          fix,
        "  2. scan: the folder scan.js cannot be read: ENOTDIR: not a directory, scandir 'scan.js'. " + fromHere + fix,
        '  3. scan: the folder file:///no/folder cannot be read: ' +
          "ENOENT: no such file or directory, scandir '/no/folder'. " +
          fix,
        '',
      ].join('\n'),
    )
  })

  it('reports every module that fails, in the order of the files, together with all other mistakes', () => {
    const circle =
      "Cannot access 'CircleTools' before initialization. " +
      'Files that import each other cause this: move what both need to a separate file. [module-failed]'

    // The order of the two files is undefined: both are loaded at once.
    expect(reports.broken?.replaceAll("'Ledger'", "'CircleTools'")).toBe(
      [
        'The server cannot start: 9 problems found.',
        `  1. scan: broken/circle-a.js could not be loaded: ${circle}`,
        `  2. scan: broken/circle-b.js could not be loaded: ${circle}`,
        '  3. scan: broken/rejects.js could not be loaded: no connection [module-failed]',
        "  4. scan: broken/standard.js: @McpTool on 'add' was called as a standard (TC39) decorator, which has no " +
          'parameter types. ' +
          'Set "experimentalDecorators": true and "emitDecoratorMetadata": true in tsconfig.json. [standard-decorators]',
        '  5. scan: broken/throws-text.js could not be loaded: just a text [module-failed]',
        '  6. scan: broken/throws.js could not be loaded: PORT is not set [module-failed]',
        "  7. @McpTool on 'UncalledTools.exported' has no parentheses. Write @McpTool(). [uncalled-decorator]",
        "  8. @McpTool on 'HiddenTools.hidden' has no parentheses. Write @McpTool(). [uncalled-decorator]",
        "  9. FineTools.fine: 'not a name' is not a valid tool name. " +
          'Use 1 to 128 of the characters A-Z a-z 0-9 _ . - [bad-name]',
        '',
      ].join('\n'),
    )
  })

  it('reports classes that were imported as types, from the output of tsc', () => {
    const fix =
      'its type is Function at run time, which cannot be injected. ' +
      'An interface, a union or an object type needs @Inject(token). A class needs a value import: write ' +
      '`import`, not `import type`. [unresolvable-token]'

    expect(reports.importType).toBe(
      [
        'The server cannot start: 3 problems found.',
        '  1. TimeTools.time: its return type is Function at run time, so it defines no output schema. Import the class with ' +
          '`import { SumOutput }`, not `import type { SumOutput }`, or pass the schema as the option `output`. [missing-schema]',
        `  2. The constructor of TimeTools, parameter 1: ${fix}`,
        `  3. TimeTools.time, parameter 1 (injected, because there is no \`input\` schema): ${fix}`,
        '',
      ].join('\n'),
    )
  })

  it('reports TypeScript that Node cannot load, with a fix', () => {
    const file = join(programs, '..', 'src', 'more', 'more-tools.ts')

    expect(reports.typescript).toBe(
      'The server cannot start: 1 problem found.\n' +
        `  1. scan: ../src/more/more-tools.ts could not be loaded: Unknown file extension ".ts" for ${file}. ` +
        `${buildFirst} [module-failed]\n`,
    )
  })

  it('reports TypeScript with decorators, where Node strips the types, with the same fix', async () => {
    const folder = join(programs, 'left-decorator')
    await mkdir(folder)
    await writeFile(join(folder, 'tools.ts'), 'export class Tools { @McpTool() find() {} }')
    const scan = (env?: NodeJS.ProcessEnv) =>
      runNode([...withoutTypeScript, '--import', takesTypesOut, 'scan.js', folder], env)
    const [{ stdout }, inVitest] = await Promise.all([scan(), scan({ VITEST: 'true' })])
    await rm(folder, { recursive: true })

    const failed = '1. scan: left-decorator/tools.ts could not be loaded: Invalid or unexpected token.'
    expect(stdout).toContain(`${failed} ${buildFirst} [module-failed]`)
    expect(inVitest.stdout).toContain(
      `${failed} Vitest does not compile scanned modules: list the classes in \`controllers\`. [module-failed]`,
    )
  })

  it.each([
    ['a named import of a type', "import { Static } from './types.ts'", /does not provide an export named 'Static'\.$/],
    ['an import of a .js file', "import './other.js'", /Cannot find module '.*other\.js' imported from .*tools\.ts\.$/],
  ])('reports TypeScript with %s, where Node strips the types, with the same fix', async (kind, code, message) => {
    const folder = join(programs, `left-${kind.replaceAll(/\W/g, '-')}`)
    await mkdir(folder)
    await writeFile(join(folder, 'tools.ts'), code)
    await writeFile(join(folder, 'types.ts'), '')
    await writeFile(join(folder, 'other.ts'), '')
    const { stdout } = await runNode([...withoutTypeScript, '--import', takesTypesOut, 'scan.js', folder])
    await rm(folder, { recursive: true })

    const [reported = '', fix] = stdout.split(` ${buildFirst}`)
    expect(reported).toMatch(message)
    expect(fix).toMatch(/^ \[module-failed\]\n/)
  })

  it('does not wait for a module that never finishes', () => {
    expect(reports.endless).toBe(
      'The server cannot start: 1 problem found.\n' +
        `  1. scan: never-ends/waits.js could not be loaded: it can never finish. ${neverEnds} [module-failed]\n`,
    )
  })

  it('reports a scan that finds nothing to serve', () => {
    expect(reports.nothing).toBe(
      'The server cannot start: 1 problem found.\n' +
        '  1. scan: of the 2 modules in nothing, nothing/, none exports a class with a decorated method. ' +
        'Export the class, or list it in `controllers`. [no-features]\n',
    )
  })

  it('reports the class that is not exported, if no other class is found', () => {
    expect(reports.hidden).toBe(
      'The server cannot start: 1 problem found.\n' +
        '  1. scan: of the 1 module in hidden, none exports a class with a decorated method. ' +
        'ForgottenTools has decorated methods, but no scanned module exports it. ' +
        'Export the class, or list it in `controllers`. [no-features]\n',
    )
  })

  it('reports that a folder without modules may not be built yet', () => {
    expect(reports.empty).toBe(
      'The server cannot start: 1 problem found.\n' +
        `  1. scan: there is no module in ${scans.empty} (tests are ignored). ` +
        'Build first, and scan the folder that your build writes. [no-features]\n',
    )
  })
})

describe('a scan of a folder with the main module', () => {
  it.each([
    ['whose top-level await is the scan', 'self-scan', []],
    ['that awaited another promise first', 'later-scan', []],
    ['that calls a helper, and the helper', 'start-helper', ['start.js']],
    ['that imports a helper with a top-level await, and the helper', 'waiting-helper', ['start.js']],
  ])('skips a main module %s', async (_what, folder, helpers) => {
    const { stdout, ...rest } = await runNode([`${folder}/main.js`])

    expect(rest).toEqual({ code: 0, stderr: '' })
    expect(withoutPadding(stdout)).toBe(
      [
        'Tools served: 1',
        '  tool  method  parameters  input  output',
        '  own  OwnTools.own  no arguments  text (no output schema)',
        '',
        `Modules scanned: ${2 + helpers.length}`,
        '  module  found',
        `  ${folder}/main.js  ${startsServer}`,
        `  ${folder}/own-tools.js  OwnTools`,
        ...helpers.map((helper) => `  ${folder}/${helper}  ${startsServer}`),
        '',
      ].join('\n'),
    )
  })

  const detached = join(programs, 'detached-scan')

  it.each(['detached-scan', join(detached, 'main'), join(detached, 'main.js')])(
    'finds the main module of `node %s`, although it is not on the call stack',
    async (entry) => {
      const packageJson = join(detached, 'package.json')
      await writeFile(packageJson, '{ "type": "module", "main": "main.js" }')
      const { stdout } = await runNode([entry])
      await rm(packageJson)

      expect(withoutPadding(stdout)).toMatch(`detached-scan/main.js  ${startsServer}`)
    },
  )

  it.each([
    ['imports the main module', 'imports-main', 'greeting-tools.js'],
    ['leads to the module that scans', 'long-way', 'between.js'],
  ])('does not wait for a module that %s', async (_what, folder, file) => {
    expect(await runNode([`${folder}/main.js`])).toEqual({
      code: 0,
      stderr: '',
      stdout:
        'The server cannot start: 1 problem found.\n' +
        `  1. scan: ${folder}/${file} could not be loaded: it can never finish. ${neverEnds} [module-failed]\n`,
    })
  })

  it('times out after 8 seconds in a process with other work', async () => {
    expect(await runNode(['--import', tenTimesAsFast, 'imports-main/main.js', 'busy'])).toEqual({
      code: 0,
      stderr: '',
      stdout:
        'The server cannot start: 1 problem found.\n' +
        '  1. scan: imports-main/greeting-tools.js could not be loaded: it did not finish within 8 s. ' +
        `${neverEnds} [module-failed]\n`,
    })
  })

  it('keeps waiting as long as modules continue to finish', async () => {
    const folder = join(programs, 'one-by-one')
    await mkdir(folder)
    for (const seconds of [5, 10]) {
      const wait = `await new Promise((resolve) => setTimeout(resolve, ${seconds * 1000}))`
      // oxlint-disable-next-line no-await-in-loop
      await writeFile(join(folder, `takes-${seconds}.js`), `${wait}\nexport {}\n`)
    }
    const { stdout } = await runNode(['--import', tenTimesAsFast, 'scan.js', 'one-by-one'])
    await rm(folder, { recursive: true })

    expect(stdout).toContain('1 problem found.\n  1. scan: of the 2 modules in one-by-one, none exports a class')
  })

  it('explains why nothing is served when the main module contains all classes', async () => {
    const folder = pathToFileURL(join(programs, 'only-main', '/')).href

    expect(await runNode(['only-main/main.js'])).toEqual({
      code: 0,
      stderr: '',
      stdout:
        'The server cannot start: 1 problem found.\n' +
        `  1. scan: of the 1 module in ${folder}, none exports a class with a decorated method. ` +
        `only-main/main.js was not loaded: ${startsServer}. ` +
        'Export the class, or list it in `controllers`. [no-features]\n',
    })
  })
})

const tenTimesAsFast = dataUrl('globalThis.setTimeout = ((set) => (run, ms) => set(run, ms / 10))(setTimeout)')

/** Normalizes tables: removes the padding of their columns. */
function withoutPadding(table: string): string {
  return table.replaceAll(/ {2,}/g, '  ')
}
