import { toolModule } from '../support/dev-project.js'
import { removeProjects, runProject } from '../support/run-project.js'

afterEach(removeProjects)

const importing = (...paths: readonly string[]): string => {
  const imports = paths.map((path, index) => `import * as imported${index} from '${path}'`)
  const used = paths.map((_path, index) => `imported${index}`)
  return `${imports.join('\n')}\nconst used = [${used.join(', ')}]\n${toolModule('found', 'return String(used.length)')}`
}

const source = 'export const value = 1\n'

describe('toolwright dev starts again when a file is created that was imported before', () => {
  it.each([
    ['in a folder of the program', 'src/lib/value.ts', '../lib/value.js'],
    ['in a new folder', 'src/new/value.ts', '../new/value.js'],
    ['beside the sources', 'config/value.ts', '../../config/value.js'],
    ['as data', 'src/data.json', '../data.json'],
  ])('%s', async (_place, file, specifier) => {
    const { project, dev } = runProject({ 'config/other.ts': source, 'src/lib/other.ts': source })
    await dev.url()
    project.write('src/tools/found-tools.ts', importing(specifier))
    await dev.output.match(/the previous version keeps serving[^]*└/)
    project.write(file, file.endsWith('.json') ? '{}' : source)
    expect(await dev.output.match(/tools \+found/)).not.toBeNull()
  })

  it('one of two at a time', async () => {
    const { project, dev } = runProject({ 'src/lib/other.ts': source })
    await dev.url()
    project.write('src/tools/found-tools.ts', importing('../lib/one.js', '../lib/two.js'))
    await dev.output.match(/keeps serving[^]*└/)
    project.write('src/lib/one.ts', source)
    await dev.output.match(/keeps serving[^]*└[^]*keeps serving[^]*└/)
    project.write('src/lib/two.ts', source)
    expect(await dev.output.match(/tools \+found/)).not.toBeNull()
  })

  it('although the program has caught the error', async () => {
    const optional = "const name = await import('../lib/value.js').then(() => 'found', () => 'missing')\n"
    const tools = toolModule('named').replace("description: 'A tool.'", "description: 'A tool.', name")
    const { project, dev } = runProject({ 'src/tools/named-tools.ts': optional + tools, 'src/lib/other.ts': source })
    await dev.output.match(/tools +answer, missing/)
    project.write('src/lib/value.ts', source)
    expect(await dev.output.match(/tools \+found -missing/)).not.toBeNull()
  })
})
