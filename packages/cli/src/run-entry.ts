import { isTypeScript } from './find-entry.js'
import { settingsArguments } from './settings.js'

/**
 * Returns the arguments of `node` that run an entry file. A loader compiles TypeScript, because Node itself and esbuild
 * emit no metadata of decorators.
 *
 * @param entry Absolute path.
 */
export function nodeArguments(entry: string): readonly string[] {
  const loader = isTypeScript(entry) ? ['--import', import.meta.resolve('@oxc-node/core/register')] : []
  return ['--enable-source-maps', ...settingsArguments(entry), ...loader, entry]
}
