import { McpController, McpTool } from '@toolwright/core'
import { findMistakes } from '../../boot/find-problems.js'
import { ScannedFolder, toolClass } from './scanned-folder.js'

const importBase = "import { BaseTools } from './base-tools.js'\n"

describe('a scanned folder with a base class for other controllers', () => {
  let folder: ScannedFolder
  beforeEach(() => {
    folder = new ScannedFolder()
  })
  afterEach(() => folder.remove())

  const writeSubclass = (name: string, controller?: string) =>
    folder.write(
      `${name.toLowerCase()}-tools.js`,
      importBase + toolClass(`${name}Tools`, [], { extends: 'BaseTools', ...(controller && { controller }) }),
    )

  it('serves the subclasses only, if the base is marked as abstract', async () => {
    folder.write(
      'base-tools.js',
      toolClass('BaseTools', ['list'], { controller: "{ abstract: true, prefix: 'all_' }" }),
    )
    folder.write('only-base.js', toolClass('OtherBase', ['other'], { controller: '{ abstract: true }' }))
    folder.write('empty-base.js', toolClass('EmptyBase', [], { controller: '{ abstract: true }' }))
    folder.write('barrel.js', "export * from './base-tools.js'")
    folder.write(
      'private.js',
      toolClass('PrivateBase', ['own'], { controller: '{ abstract: true }' }).replace('export', ''),
    )
    writeSubclass('User')
    writeSubclass('Team', "{ prefix: 'team_' }")

    const report = await folder.explain()

    expect(report.match(/^ {2}\w+list .*?list/gm)).toEqual([
      '  all_list   UserTools.list',
      '  team_list  TeamTools.list',
    ])
    expect(report).toMatch(/^Tools served: 2$/m)
    expect(report).toMatch(/^ {2}base-tools\.js +BaseTools \(abstract\)$/m)
    expect(report).not.toContain('Not served')
  })

  it('names the files and the fix, if base and subclass have a feature of the same name', async () => {
    folder.write('base-tools.js', toolClass('BaseTools', ['list']))
    writeSubclass('User')
    writeSubclass('A')
    const fix = 'put @McpController({ abstract: true }) on BaseTools to serve only its subclasses, or rename one.'

    expect(await folder.explain()).toBe(
      [
        'The server cannot start: 2 problems found.',
        "  1. Tool 'list' is declared by both ATools.list (a-tools.js) and BaseTools.list (base-tools.js). " +
          `BaseTools is the base class of ATools: ${fix} [duplicate-name]`,
        "  2. Tool 'list' is declared by both ATools.list (a-tools.js) and UserTools.list (user-tools.js). " +
          'Both inherit it from BaseTools: give each class a prefix, ' +
          "such as @McpController({ prefix: 'users_' }). [duplicate-name]",
        '',
      ].join('\n'),
    )
  })

  it('names the abstract class, if no other is found', async () => {
    folder.write('base-tools.js', toolClass('BaseTools', ['list'], { controller: '{ abstract: true }' }))

    expect(await folder.explain()).toContain(
      'none exports a class with a decorated method. BaseTools of base-tools.js is abstract. Export the class,',
    )
  })
})

describe('a base class in controllers', () => {
  @McpController({ abstract: true })
  abstract class Base {
    @McpTool()
    list(): string {
      return ''
    }
  }
  class Users extends Base {}

  it('is reported if it is abstract, and its subclasses are served', async () => {
    expect(await findMistakes(Users)).toEqual([])
    expect(await findMistakes(Base, Users)).toEqual([
      'bad-controller: controllers: the class Base is abstract, so it is not served. ' +
        'List its subclasses instead, or remove `abstract: true`.',
    ])
  })

  it('must be removed if a subclass inherits one of its names', async () => {
    class Open {
      @McpTool()
      list(): string {
        return ''
      }
    }
    class Closed extends Open {}

    expect(await findMistakes(Open, Closed)).toEqual([
      "duplicate-name: Tool 'list' is declared by both Open.list and Closed.list. " +
        'Open is the base class of Closed: remove Open from `controllers` to serve only its subclasses, or rename one.',
    ])
  })

  it('accepts only a boolean as abstract', async () => {
    @McpController({ abstract: 'yes' as never })
    class Tools extends Base {}

    expect(await findMistakes(Tools)).toEqual(["bad-option: Tools: abstract is the string 'yes'. Give true or false."])
  })
})
