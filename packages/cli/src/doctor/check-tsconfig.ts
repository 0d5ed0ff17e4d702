import { relative } from 'node:path'
import { type CompilerOptions, findUp, readCompilerOptions } from '../tsconfig.js'
import { type Finding, fail, ok, warn } from './finding.js'

const modernModules = ['nodenext', 'node16', 'node18', 'node20', 'esnext', 'es2022', 'preserve']
const oldTargets = ['es3', 'es5', 'es6', 'es2015', 'es2016', 'es2017', 'es2018', 'es2019', 'es2020', 'es2021']

export function checkTsconfig(folder: string): readonly Finding[] {
  const file = findUp(folder, 'tsconfig.json')
  if (file === null) return [ok('tsconfig', 'there is no tsconfig.json')]
  const name = relative(folder, file)
  try {
    const findings = checkOptions(readCompilerOptions(file), name)
    return findings.length === 0 ? [ok('tsconfig', `${name} has the options that decorators need`)] : findings
  } catch (error) {
    return [fail('tsconfig', (error as Error).message, 'Correct the file.')]
  }
}

function nameOf(option: unknown): string {
  return typeof option === 'string' ? option : ''
}

function checkOptions(options: CompilerOptions, file: string): readonly Finding[] {
  const { module, target } = options
  const missing = ['experimentalDecorators', 'emitDecoratorMetadata'].filter((name) => options[name] !== true)
  const kind = nameOf(module).toLowerCase()
  const version = nameOf(target).toLowerCase()
  return [
    ...missing.map((name) => fail('tsconfig', `${name} is off`, `Set "${name}": true in ${file}.`)),
    ...(module !== undefined && !modernModules.includes(kind)
      ? [
          warn(
            'tsconfig',
            `module is ${nameOf(module)}`,
            `Set "module": "nodenext" in ${file}: Toolwright consists of ES modules.`,
          ),
        ]
      : []),
    ...(oldTargets.includes(version)
      ? [warn('tsconfig', `target is ${nameOf(target)}`, `Set "target": "es2022" in ${file}.`)]
      : []),
  ]
}
