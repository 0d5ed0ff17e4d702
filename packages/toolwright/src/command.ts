// The `toolwright` command.
import { parseArgs } from 'node:util'
import { CannotWriteProject, version, writeProject } from './new-project.js'

const usage = `Usage: toolwright new FOLDER

Writes a project into FOLDER, which is made: a server with one tool, and a test of it.

  -h, --help     prints this
  -v, --version  prints the version of Toolwright
`

/** Of the command itself. */
class Misuse extends Error {}

try {
  process.stdout.write(run(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(`${explainFailure(error)}\n`)
  process.exitCode = 1
}

/** @returns What to print. @throws Misuse, CannotWriteProject, and whatever the file system has. */
function run(args: readonly string[]): string {
  const { values, positionals } = readArguments(args)
  if (values.version === true) return `${version}\n`
  if (values.help === true || positionals.length === 0) return usage
  const [command, folder, ...rest] = positionals
  if (command !== 'new') throw new Misuse(`There is no command '${command}'.`)
  if (folder === undefined || folder === '') throw new Misuse('Say which FOLDER to write the project into.')
  if (rest.length > 0)
    throw new Misuse(`'${rest.join(' ')}' is an argument too many. Quote a FOLDER with spaces in its name.`)
  return describeProject(folder, writeProject(folder))
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    })
  } catch (error) {
    // It says which option it does not know.
    throw new Misuse((error as Error).message)
  }
}

function describeProject(folder: string, files: readonly string[]): string {
  return [
    `${folder} has a server with one tool, count_words:`,
    ...files.map((file) => `  ${file}`),
    '',
    'Next:',
    ...(folder === '.' ? [] : [`  cd ${quote(folder)}`]),
    '  npm install',
    '  npm run dev    serves it, and starts again when a file is saved',
    '  npm test       compiles it, and runs its test',
    '',
  ].join('\n')
}

/** For a shell, where it would read more than a name. */
function quote(folder: string): string {
  const name = folder.startsWith('-') ? `./${folder}` : folder
  if (/^[\p{L}\p{M}\p{N}@%+=:,./\\_-]+$/u.test(name)) return name
  // What cmd.exe and PowerShell both read. No name has such a quote there.
  return process.platform === 'win32' ? `"${name}"` : `'${name.replaceAll("'", "'\\''")}'`
}

function explainFailure(error: unknown): string {
  if (error instanceof Misuse) return `${error.message}\n\n${usage.trimEnd()}`
  return error instanceof CannotWriteProject ? error.message : String(error)
}
