import { isTypeScript } from './find-entry.js'
import { settingsArguments } from './settings.js'

/**
 * Arguments of `node` that run an entry file. TypeScript is compiled by a loader that emits the metadata of decorators, as
 * Node itself and esbuild do not.
 *
 * @param entry Absolute path.
 */
export function nodeArguments(entry: string): readonly string[] {
  const loader = isTypeScript(entry) ? ['--import', import.meta.resolve('@oxc-node/core/register')] : []
  return ['--enable-source-maps', ...settingsArguments(), ...loader, entry]
}
