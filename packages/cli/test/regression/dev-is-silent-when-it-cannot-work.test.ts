import { main } from '../support/dev-project.js'
import { removeProjects, runProject } from '../support/run-project.js'

afterEach(removeProjects)

const stuck = 'await new Promise(() => {})\n'

describe('toolwright dev with a program that never ends its start', () => {
  it('says so, and starts again when the program is saved', async () => {
    const { project, dev } = runProject({ 'src/main.ts': stuck + main })
    await dev.output.match(/still starting: src\/main\.ts [^\n]*Save a file to start again/)
    project.write('src/main.ts', main)
    expect((await dev.url()).pathname).toBe('/mcp')
  })

  it('says so during a reload, while the previous version serves', async () => {
    const { project, dev } = runProject({})
    await dev.url()
    project.write('src/main.ts', stuck + main)
    await dev.output.match(/still starting: [^\n]*The previous version keeps serving/)
    project.write('src/main.ts', main)
    expect(await dev.output.match(/reloaded in/)).not.toBeNull()
  })
})

it('toolwright dev applies a change that is saved while the program starts for the first time', async () => {
  const waiting = main.replace("name: 'project'", "name: 'old'")
  const slow = "import './slow.js'\n"
  const loaded = "console.log('starting')\nawait new Promise((resolve) => setTimeout(resolve, 2000))\n"
  const { project, dev } = runProject({ 'src/main.ts': slow + waiting, 'lib/other.ts': '', 'src/slow.ts': loaded })
  await dev.output.match(/starting/)
  project.write('src/main.ts', main.replace("name: 'project'", "name: 'new'"))
  expect(await dev.output.match(/\n {2}new 1\.0\.0/)).not.toBeNull()
})

it('toolwright dev reports once that folders cannot be watched, and names the limit of the system', async () => {
  const patch = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
fs.watch = () => { throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' }) }
syncBuiltinESMExports()`
  const { dev } = runProject(
    {},
    { env: { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(patch)}"` } },
  )
  await dev.output.match(/some changes will not be noticed[^]*ENOSPC[^]*fs\.inotify\.max_user_watches/)
  await dev.url()
  expect(dev.output.text.match(/will not be noticed/g)).toHaveLength(1)
})
