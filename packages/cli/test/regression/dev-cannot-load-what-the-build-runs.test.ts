import { runCommand } from '../run-command.js'
import { compilerOptions, toolModule } from '../support/dev-project.js'
import { removeProjects, runProject } from '../support/run-project.js'

afterEach(removeProjects)

const importing = (path: string): string => `
import { serve } from 'toolwright'
import { AnswerTools } from '${path}'

await serve({ name: 'project', version: '1.0.0', controllers: [AnswerTools] })
`

const tsconfig = (others: object): string => JSON.stringify({ compilerOptions, ...others })

describe('toolwright dev compiles a decorated class with the options of tsconfig.json', () => {
  it.each([
    ['that lists only the entry file', { 'tsconfig.json': tsconfig({ files: ['src/main.ts'] }) }, {}],
    ['that excludes its folder', { 'tsconfig.json': tsconfig({ include: ['src'], exclude: ['src/tools'] }) }, {}],
    ['in a folder with brackets', {}, { name: 'a[b]{c}' }],
  ])('%s', async (_case, files, options) => {
    const { dev } = runProject({ 'src/main.ts': importing('./tools/answer-tools.js'), ...files }, options)
    expect(await dev.output.match(/tools +answer/)).not.toBeNull()
  })

  it('outside of the project', async () => {
    const { dev } = runProject({
      'src/main.ts': importing('../../shared/answer-tools.js'),
      '../shared/answer-tools.ts': toolModule('answer'),
      '../shared/package.json': '{ "type": "module" }',
    })
    expect(await dev.output.match(/tools +answer/)).not.toBeNull()
  })

  it('and after a change of the file that tsconfig.json extends', async () => {
    const base = (isOn: boolean): string =>
      JSON.stringify({ compilerOptions: { ...compilerOptions, experimentalDecorators: isOn } })
    const { project, dev } = runProject({
      'tsconfig.json': JSON.stringify({ extends: './tsconfig.base.json', include: ['src'] }),
      'tsconfig.base.json': base(false),
    })
    await dev.output.match(/cannot start/)
    project.write('tsconfig.base.json', base(true))
    expect(await dev.output.match(/tools +answer/)).not.toBeNull()
  })
})

it('toolwright call runs a decorated class that tsconfig.json does not list', async () => {
  const { project } = runProject({
    'src/main.ts': importing('./tools/answer-tools.js'),
    'tsconfig.json': tsconfig({ files: ['src/main.ts'] }),
  })
  const { stdout } = await runCommand(['call', 'answer'], { cwd: project.folder })
  expect(stdout).toBe('answer 1\n')
})

it('toolwright dev names the file and the option if the options of decorators are off', async () => {
  const { dev } = runProject({ 'tsconfig.json': JSON.stringify({ compilerOptions: { target: 'es2022' } }) })
  const [box] = await dev.output.match(/cannot start[^]*└/)
  expect(box).toContain('src/tools/answer-tools.ts')
  expect(box).toContain('"experimentalDecorators": true')
  expect(box).not.toContain('Build first')
})

describe('toolwright dev runs', () => {
  it('imports of computed paths and `await using`, as Node does', async () => {
    const main = `
import { serve } from 'toolwright'

await using resource = { [Symbol.asyncDispose]: async () => undefined }
const name = 'answer'
const { AnswerTools } = await import(\`../plugins/\${name}-tools.js\`)
await serve({ name: String(resource !== null), version: '1.0.0', controllers: [AnswerTools] })
`
    const { dev } = runProject({ 'src/main.ts': main, 'plugins/answer-tools.ts': toolModule('answer') })
    expect(await dev.output.match(/tools +answer/)).not.toBeNull()
  })
})
