import { dirname } from 'node:path'
import { isTypeScript, rejectCharacters } from './find-entry.js'
import { settingsArguments } from './settings.js'
import { findUp } from './tsconfig.js'

/**
 * Returns the arguments of `node` that run an entry file. A loader compiles TypeScript, because Node itself and esbuild
 * emit no metadata of decorators.
 *
 * @param entry Absolute path.
 * @throws CommandError if the loader cannot load the path.
 */
export function nodeArguments(entry: string): readonly string[] {
  if (isTypeScript(entry)) rejectCharacters(entry, process.platform === 'win32' ? /[#%]/ : /[#?%\\]/)
  const loader = isTypeScript(entry)
    ? [...projectOf(entry), '--import', import.meta.resolve('@oxc-node/core/register')]
    : []
  return ['--enable-source-maps', ...settingsArguments(entry), ...loader, entry]
}

/**
 * Returns the arguments that give the loader the tsconfig.json of the project. Otherwise, the loader would compile files
 * that `include` does not match without the options of decorators.
 */
function projectOf(entry: string): readonly string[] {
  const file = findUp(dirname(entry), 'tsconfig.json')
  if (file === null) return []
  const code = `process.env.OXC_TSCONFIG_PATH ??= ${JSON.stringify(file)}`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}
