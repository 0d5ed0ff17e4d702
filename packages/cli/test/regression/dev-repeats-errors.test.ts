import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { runCommand } from '../run-command.js'
import { main } from '../support/dev-project.js'
import { removeProjects, runProject } from '../support/run-project.js'

afterEach(removeProjects)

it('toolwright dev prints one error if the port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { dev } = runProject({ '.env': 'PORT=1' }, { args: ['--no-types', '--no-inspector', '--port', String(port)] })
  await once(dev.child, 'close')
  other.close()
  expect(dev.output.text.match(/in use/g)).toHaveLength(1)
  expect(dev.output.text).not.toContain('waiting for a change')
})

it('toolwright dev counts repetitions of an exception, and names those of a replaced version', async () => {
  const throwing = `${main}\nsetInterval(() => { throw new Error('again') }, 20)\n`
  const { project, dev } = runProject({ 'src/main.ts': throwing })
  await dev.output.match(/uncaught exception: in production[^]*repeated \d+ more times: uncaught exception/)
  project.write('src/main.ts', main)
  await dev.output.match(/reloaded in[^]*uncaught exception of a replaced version[^]*repeated \d+ more times/)
  expect(dev.output.text.match(/┌ uncaught exception of a replaced version/g)).toHaveLength(1)
  // The place of an exception changes once, when the sources of the next version are loaded.
  expect(dev.output.text.match(/┌ uncaught exception:/g)?.length).toBeLessThan(3)
})

it.each(['C#', 'really?'])(
  'toolwright dev and call name the character of a path that cannot be used: %s',
  async (name) => {
    const { project, dev } = runProject({}, { name })
    await dev.output.match(/contains '[#?]'. Rename/)
    const { stderr } = await runCommand(['call', 'answer'], { cwd: project.folder })
    expect(stderr).toMatch(/contains '[#?]'. Rename/)
  },
)
