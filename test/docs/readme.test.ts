import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install } from './first-server.js'
import { blocksIn } from './markdown.js'
import { run, startServer } from './programs.js'

const blocks = blocksIn('README.md')

/** The arguments of the command on a line. */
function argumentsOf(command: string): string[] {
  const lines = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.split('\n'))
  const line = lines.find((each) => each.startsWith(`${command} `))
  if (line === undefined) throw new Error(`the README has no command '${command}'`)
  return line.slice(command.length + 1).split(' ')
}

test('the code of the README compiles and starts in an empty folder, with the commands below it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'))
  install(folder, [...argumentsOf('npm i'), ...argumentsOf('npm i --save-dev')])
  writeFileSync(join(folder, 'hello.mts'), blocks.find(({ language }) => language === 'ts')?.text ?? '')
  const compiled = await run(['node_modules/typescript/bin/tsc', ...argumentsOf('npx tsc')], { cwd: folder })
  expect(compiled).toEqual({ stdout: '', stderr: '' })
  const server = await startServer(argumentsOf('node'), { cwd: folder })
  await server.stop()
  rmSync(folder, { recursive: true })
  expect(server.greeting).toMatch(/^hello 1\.0\.0 serving MCP at /)
})
