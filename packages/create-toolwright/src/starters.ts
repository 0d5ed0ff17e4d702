import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clone, templates } from './own-package.js'
import { rewriteReadme } from './sample-text.js'

export interface Starter {
  readonly name: string
  readonly description: string
  readonly folder: string
}

/** The default starter: the project of the tutorial. */
export const minimal: Starter = {
  name: 'minimal',
  description: 'A server with one tool, and its test.',
  folder: join(templates, 'minimal'),
}

/** Lists `minimal` and all samples. A clone lists its own samples. */
export function listStarters(): readonly Starter[] {
  const samples = clone === null ? join(templates, 'samples') : join(clone, 'samples')
  if (!existsSync(samples)) return [minimal]
  const names = readdirSync(samples).filter((name) => existsSync(join(samples, name, 'src', 'main.ts')))
  return [minimal, ...names.toSorted().map((name) => describeSample(name, join(samples, name)))]
}

function describeSample(name: string, folder: string): Starter {
  const { introduction } = rewriteReadme(readFileSync(join(folder, 'README.md'), 'utf8'), name)
  // The first sentence.
  return { name, description: /^.*?\.(?=\s|$)/.exec(introduction)?.[0] ?? introduction, folder }
}
