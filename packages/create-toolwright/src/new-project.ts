import { defineCommand } from 'citty'
import { CannotWriteProject, version, writeProject } from './write-project.js'

/** `toolwright new`, which is also `npm create toolwright`. */
export const newProject = defineCommand({
  meta: { name: 'new', version, description: 'Create a project: a server with one tool, and a test' },
  args: {
    folder: {
      type: 'positional',
      description: 'The folder of the project, which must be new or empty',
      required: false,
    },
  },
  run({ args, rawArgs }) {
    try {
      checkArguments(args, rawArgs)
      process.stdout.write(describeProject(args.folder ?? '', writeProject(args.folder ?? '')))
    } catch (error) {
      if (!(error instanceof Misuse || error instanceof CannotWriteProject)) throw error
      process.stderr.write(`${error.message}\n`)
      process.exitCode = 1
    }
  },
})

/** Error in the arguments of the command. */
class Misuse extends Error {}

/** Rejects arguments that citty ignores. */
function checkArguments(
  args: { readonly _: readonly string[]; readonly folder?: string },
  raw: readonly string[],
): void {
  const end = raw.indexOf('--')
  const unknown = raw.slice(0, end === -1 ? raw.length : end).find((each) => /^-./.test(each))
  if (unknown !== undefined) throw new Misuse(`Unknown option '${unknown}'. --help lists the options.`)
  if (args.folder === undefined || args.folder === '') throw new Misuse('Missing argument: FOLDER.')
  const rest = args._.slice(1)
  if (rest.length > 0) throw new Misuse(`Unexpected argument '${rest.join(' ')}'. Quote a FOLDER that contains spaces.`)
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
