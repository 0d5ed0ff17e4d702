// tsx compiles without decorator metadata: implicit types are missing, explicit tokens and schemas work.
import { join } from 'node:path'
import { programs, runNode } from './run-program.js'

const tsx = (program: string, env?: NodeJS.ProcessEnv) =>
  runNode(['--import', 'tsx', join(programs, '..', 'src', 'stripped', program)], env)

const turnOn = 'set "experimentalDecorators" and "emitDecoratorMetadata" in a tsconfig.json that includes the file'

describe('without decorator metadata', () => {
  it('a class that relies on it is reported, with the tool that dropped it and the fix', async () => {
    const compile =
      'or compile with metadata: tsc with "experimentalDecorators" and "emitDecoratorMetadata", or ' +
      '`node --import @oxc-node/core/register src/main.ts`. [lost-metadata]'

    expect(await tsx('implicit.ts')).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        'The server cannot start: 3 problems found.',
        '  1. SumTools.add, parameter 1: tsx drops decorator metadata, so parameter types are unknown. ' +
          `Write \`input: Schema\` if the parameter receives the arguments, else @Inject(token), ${compile}`,
        '  2. SumTools.add, parameter 2: tsx drops decorator metadata, so parameter types are unknown. ' +
          `Write @Inject(token), ${compile}`,
        '  3. The constructor of SumTools: tsx drops decorator metadata, so parameter types are unknown. ' +
          `Write @Inject(token) on each of its parameters, ${compile}`,
        '',
      ].join('\n'),
    })
  })

  it('a runner that can emit metadata is reported with its setting, and no other runner is recommended', async () => {
    const file = join(programs, '..', 'src', 'stripped', 'implicit.ts')
    const env = { OXC_TSCONFIG_PATH: join(programs, '..', 'no-metadata.json') }
    const { stdout } = await runNode(['--import', '@oxc-node/core/register', file], env)
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'The server cannot start: 3 problems found.',
      '  1. SumTools.add, parameter 1: the compiler emitted no decorator metadata, so parameter types are unknown. ' +
        `Write \`input: Schema\` if the parameter receives the arguments, else @Inject(token), or ${turnOn}. [lost-metadata]`,
    ])
  })

  it.each<[string, NodeJS.ProcessEnv, string]>([
    ['Vitest', { VITEST: 'true' }, `${turnOn}; before Vite 8, add the plugin unplugin-swc`],
    [
      'Jest',
      { JEST_WORKER_ID: '1' },
      'let the transform of Jest emit metadata: @swc/jest with "decoratorMetadata", or ts-jest with "emitDecoratorMetadata"',
    ],
    ['any other runner that reads tsconfig.json', {}, turnOn],
  ])('the fix names the setting of %s', async (_runner, variables, advice) => {
    const file = join(programs, '..', 'src', 'stripped', 'implicit.ts')
    const OXC_TSCONFIG_PATH = join(programs, '..', 'no-metadata.json')
    const env = { JEST_WORKER_ID: undefined, OXC_TSCONFIG_PATH, ...variables }

    const { stdout } = await runNode(['--import', './some-runner.js', file], env)
    expect(stdout.split('\n')[2]).toBe(
      '  2. SumTools.add, parameter 2: the compiler emitted no decorator metadata, so parameter types are unknown. ' +
        `Write @Inject(token), or ${advice}. [lost-metadata]`,
    )
  })

  it('the same class is served after compilation with tsc', async () => {
    expect(await runNode(['stripped/implicit.js'])).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        'Tools served: 2',
        '  tool  method         parameters          input            output',
        '  add   SumTools.add   arguments, context  SumInput (a, b)  text (no output schema)',
        '  zero  SumTools.zero                      no arguments     text (no output schema)',
        '',
      ].join('\n'),
    })
  })

  it('a class with explicit schemas and tokens is served, and answers a call', async () => {
    const structuredContent = { sum: 3, at: 14, method: 'tools/call' }
    const content = [{ type: 'text', text: JSON.stringify(structuredContent) }]

    expect(await tsx('explicit.ts')).toEqual({
      code: 0,
      stderr: '',
      stdout: `${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content, structuredContent } })}\n`,
    })
  })

  it('standard decorators are rejected at the first decorator', async () => {
    const TSX_TSCONFIG_PATH = join(programs, '..', 'standard-decorators.json')
    const { code, stderr } = await tsx('standard.ts', { TSX_TSCONFIG_PATH })

    expect(code).toBe(1)
    expect(stderr).toMatch(
      'BootError: The server cannot start: 1 problem found.\n' +
        "  1. @McpTool on 'add' was called as a standard (TC39) decorator, which has no parameter types. " +
        'Set "experimentalDecorators": true and "emitDecoratorMetadata": true in tsconfig.json. [standard-decorators]',
    )
  })
})
