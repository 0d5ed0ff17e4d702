import { readCommandLine, readScope } from '../../src/install/command-line.js'
import {
  checkName,
  commandServer,
  entryServer,
  httpServer,
  readEnv,
  suggestName,
} from '../../src/install/server-arguments.js'
import { createMachine, type TestMachine } from './run-install.js'

let machine: TestMachine

beforeAll(() => {
  machine = createMachine()
})

afterAll(() => machine.delete())

describe('the command line of install', () => {
  test.each([
    [['cursr'], "'cursr' is neither a client nor a file. Clients: claude-code,"],
    [['cursor', 'a.js', 'b.js'], "'b.js' is neither a client nor a file."],
    [
      ['cursor', '--url', 'http://c', '--env', 'A=b'],
      '--env cannot be used with --url: the server is already running.',
    ],
    [['cursor', '--header', 'a: b'], '--header needs --url.'],
    [['cursor', 'dist/main.js', '--url', 'http://c'], 'Give only one: an entry file, --url or --stdio.'],
    [['cursor', '--sope', 'all'], "Unknown option '--sope'"],
    [['cursor', '--name'], "Option '--name <value>' argument missing"],
  ])('rejects %j', (args, message) => {
    expect(() => readCommandLine(args)).toThrow(message)
  })

  test('accepts several clients, an entry file and repeated flags', () => {
    const { clients, entry, flags } = readCommandLine([
      'vscode',
      'cursor',
      'vscode',
      './main.js',
      '--env',
      'A=1',
      '--env',
      'B=2',
      '-y',
    ])
    expect(clients.map(({ id }) => id)).toEqual(['vscode', 'cursor'])
    expect(entry).toBe('./main.js')
    expect(flags).toMatchObject({ env: ['A=1', 'B=2'], yes: true, remove: false })
  })

  test('has a scope', () => {
    expect([readScope(undefined), readScope('project')]).toEqual(['user', 'project'])
    expect(() => readScope('all')).toThrow("--scope is 'all'. Give user or project.")
  })
})

describe('the server of install', () => {
  test.each([
    ['ftp://x', [], "--url is 'ftp://x'. Give a URL such as http://127.0.0.1:3000/mcp."],
    ['mcp.example.com', [], "--url is 'mcp.example.com'."],
    ['http://a:b@c/mcp', [], '--url has a user name or a password.'],
    ['http://c', ['secret'], "A --header has no name. Give --header 'name: value'."],
    ['http://c', ['a: b\r\nc: d'], 'A --header has no name.'],
  ])('rejects the URL %s with the headers %j', (url, headers, message) => {
    expect(() => httpServer(url, headers)).toThrow(message)
  })

  test('has headers and variables', () => {
    const url = 'https://mcp.example.com/mcp'
    expect(httpServer(url, ['X-Key:  a b ', 'Empty:'])).toEqual({ url, headers: { 'X-Key': 'a b', Empty: '' } })
    expect(readEnv(['A=1=2', 'B='])).toEqual({ A: '1=2', B: '' })
    expect(() => readEnv(['A B=1'])).toThrow('An --env has no name. Give --env NAME=value.')
  })

  test('is a program with absolute paths', () => {
    const { project } = machine
    const main = `${project}/dist/main.js`
    expect(entryServer(project, 'dist/main.js', {})).toEqual({
      command: process.execPath,
      args: [main, '--stdio'],
      env: {},
    })
    expect(commandServer(project, `node "dist/main.js" --stdio 'two words' none.js`, { A: '1' })).toEqual({
      command: process.execPath,
      args: [main, '--stdio', 'two words', 'none.js'],
      env: { A: '1' },
    })
    expect(commandServer(project, 'npx -y C:\\a\\b.js', {})).toMatchObject({
      command: 'npx',
      args: ['-y', 'C:\\a\\b.js'],
    })
    expect(() => commandServer(project, ' ', {})).toThrow('--stdio is empty.')
    expect(() => entryServer(project, 'dist/none.js', {})).toThrow("'dist/none.js' does not exist in")
  })

  test('is the build of a TypeScript entry', () => {
    const { project } = machine
    machine.write('project/src/main.ts', '')
    expect(entryServer(project, undefined, {}).args).toEqual([`${project}/dist/main.js`, '--stdio'])
    machine.write('project/src/other.ts', '')
    expect(() => entryServer(project, 'src/other.ts', {})).toThrow(
      `${project}/dist/other.js does not exist. Build the project, or give the compiled file.`,
    )
  })

  test('has the name of the project or of the host', () => {
    const names = [undefined, 'http://127.0.0.1:3000/mcp', 'https://mcp.example.com/mcp', 'https://words.dev']
    expect(names.map((url) => suggestName(`${machine.project}/dist`, url))).toEqual([
      'words',
      'words',
      'example',
      'words',
    ])
    for (const name of ['__proto__', 'a b', '', 'é', 'x'.repeat(65)]) {
      expect(() => checkName(name)).toThrow('Use at most 64 characters: letters, digits, - and _.')
    }
  })
})
