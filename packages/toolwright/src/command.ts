// The `toolwright` command.
import { parseArgs } from 'node:util'
import { CannotWriteProject, version, writeProject } from './new-project.js'

const usage = `Usage: toolwright new FOLDER

Creates FOLDER with a new project: a server with one tool, and a test.

  -h, --help     print this help
  -v, --version  print the version of Toolwright
`

/** Error in the arguments of the command. */
class Misuse extends Error {}

try {
  process.stdout.write(run(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(`${explainFailure(error)}\n`)
  process.exitCode = 1
}

/** @returns Text to print. @throws Misuse, CannotWriteProject, or an error of the file system. */
function run(args: readonly string[]): string {
  const { values, positionals } = readArguments(args)
  if (values.version === true) return `${version}\n`
  if (values.help === true || positionals.length === 0) return usage
  const [command, folder, ...rest] = positionals
  if (command !== 'new') throw new Misuse(`Unknown command '${command}'.`)
  if (folder === undefined || folder === '') throw new Misuse('Missing argument: FOLDER.')
  if (rest.length > 0) throw new Misuse(`Unexpected argument '${rest.join(' ')}'. Quote a FOLDER that contains spaces.`)
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
    // The message names the unknown option.
    throw new Misuse((error as Error).message)
  }
}

function describeProject(folder: string, files: readonly string[]): string {
  return [
    `Created a server with one tool, count_words, in ${folder}:`,
    ...files.map((file) => `  ${file}`),
    '',
    'Next:',
    ...(folder === '.' ? [] : [`  cd ${quote(folder)}`]),
    '  npm install',
    '  npm run dev    start the server, and restart it when a file is saved',
    '  npm test       compile the project, and run its test',
    '',
  ].join('\n')
}

/** Quotes a name for the shell, if necessary. */
function quote(folder: string): string {
  const name = folder.startsWith('-') ? `./${folder}` : folder
  if (/^[\p{L}\p{M}\p{N}@%+=:,./\\_-]+$/u.test(name)) return name
  // cmd.exe and PowerShell both support these quotes, and names on Windows cannot contain them.
  return process.platform === 'win32' ? `"${name}"` : `'${name.replaceAll("'", "'\\''")}'`
}

function explainFailure(error: unknown): string {
  if (error instanceof Misuse) return `${error.message}\n\n${usage.trimEnd()}`
  return error instanceof CannotWriteProject ? error.message : String(error)
}
