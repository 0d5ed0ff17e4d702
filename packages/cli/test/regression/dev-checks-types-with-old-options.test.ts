import { compilerOptions } from '../support/dev-project.js'
import { removeProjects, runProject } from '../support/run-project.js'

afterEach(removeProjects)

it('the type check of toolwright dev applies a change of tsconfig.json', async () => {
  const config = (options: object): string =>
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...options }, include: ['src'] })
  const { project, dev } = runProject(
    {
      'src/unused.ts': 'export const use = (unused: string): number => 1\n',
      'tsconfig.json': config({ noUnusedParameters: true }),
    },
    { args: ['--no-inspector'] },
  )
  await dev.output.match(/1 type error[^]*unused/)
  project.write('tsconfig.json', config({}))
  expect(await dev.output.match(/no type errors/)).not.toBeNull()
})
