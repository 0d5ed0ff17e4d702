// Prints what an official client sees of the server on the page about migrations.
import { join } from 'node:path'
import { readAnswers } from './answers.mjs'

const cwd = join(import.meta.dirname, '..', '..', 'docs', 'snippets', 'dist')
process.stdout.write(JSON.stringify(await readAnswers({ cwd, args: ['migrated.js', '--stdio'] })))
