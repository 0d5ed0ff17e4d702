// Copies the samples into create-toolwright, which packs them as templates of projects. With --remove, removes them again:
// in a clone, create-toolwright reads the samples themselves.
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const target = join(root, 'packages', 'create-toolwright', 'templates', 'samples')
const left = ['node_modules', 'dist', 'test', 'Dockerfile', 'tsconfig.json']

rmSync(target, { recursive: true, force: true })
if (!process.argv.includes('--remove')) {
  const samples = join(root, 'samples')
  for (const name of readdirSync(samples)) {
    if (!existsSync(join(samples, name, 'src', 'main.ts'))) continue
    cpSync(join(samples, name), join(target, name), {
      recursive: true,
      filter: (file) => !left.includes(basename(file)),
    })
  }
}
