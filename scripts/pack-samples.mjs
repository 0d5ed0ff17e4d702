// Copies the samples and the Agent Skill into create-toolwright, which packs them as templates of projects. With --remove,
// removes them again: in a clone, create-toolwright reads the originals.
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const templates = join(root, 'packages', 'create-toolwright', 'templates')
const target = join(templates, 'samples')
const left = ['node_modules', 'dist', 'test', 'Dockerfile', 'tsconfig.json']

for (const name of ['samples', 'skills']) rmSync(join(templates, name), { recursive: true, force: true })
if (!process.argv.includes('--remove')) {
  const samples = join(root, 'samples')
  for (const name of readdirSync(samples)) {
    if (!existsSync(join(samples, name, 'src', 'main.ts'))) continue
    cpSync(join(samples, name), join(target, name), {
      recursive: true,
      filter: (file) => !left.includes(basename(file)),
    })
  }
  cpSync(join(root, 'skills'), join(templates, 'skills'), { recursive: true })
}
