import { removeProjects, runProject } from '../support/run-project.js'

afterEach(removeProjects)

const main = `
import { serve } from 'toolwright'

if (process.env.GREETING === undefined) throw new Error('GREETING is not set')
const name = [process.env.GREETING, process.env.OTHER ?? 'none', process.env.FIXED].join('-')
await serve({ name, version: '1.0.0', controllers: [], onReady: ({ catalog }) => void catalog.addTool({ name, handler: () => name }) })
`

it('toolwright dev applies changes of .env, except to variables of the shell', async () => {
  const { project, dev } = runProject({ 'src/main.ts': main }, { env: { FIXED: 'shell' } })
  await dev.output.match(/GREETING is not set/)
  project.write('.env', 'GREETING=one\nOTHER=two\nFIXED=file\n')
  await dev.output.match(/tools +one-two-shell/)
  project.writeByRename('.env', 'GREETING=three\n')
  expect(await dev.output.match(/reloaded in .*: \.env\n +tools \+three-none-shell -one-two-shell/)).not.toBeNull()
})

it('toolwright dev starts in a folder with a virtual environment of Python', async () => {
  const { dev } = runProject({ '.env/pyvenv.cfg': '' })
  expect((await dev.url()).pathname).toBe('/mcp')
})

it('toolwright dev reads the .env of the project whose entry file is given', async () => {
  const { dev } = runProject(
    { 'app/package.json': '{ "type": "module" }', 'app/src/main.ts': main, 'app/.env': 'GREETING=one\n' },
    { args: ['app/src/main.ts', '--no-inspector', '--no-types'], env: { FIXED: 'shell' } },
  )
  expect(await dev.output.match(/tools +one-none-shell/)).not.toBeNull()
})
