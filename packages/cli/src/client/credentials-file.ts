import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'

export interface StoredCredentials {
  readonly client?: StoredOAuthClientInformation
  readonly tokens?: StoredOAuthTokens
  readonly port?: number
}

/** Reads the credentials for a server. Returns an empty object if the file is missing or cannot be read. */
export function readCredentials(url: URL): StoredCredentials {
  try {
    const stored = JSON.parse(readFileSync(pathOf(url), 'utf8')) as StoredCredentials & { readonly url?: string }
    return stored.url === keyOf(url) ? stored : {}
  } catch {
    return {}
  }
}

/** Writes the credentials to a file that only the user can read. */
export function writeCredentials(url: URL, credentials: StoredCredentials): void {
  const path = pathOf(url)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  chmodSync(dirname(path), 0o700)
  // Creates a new file, because an existing file would keep its mode.
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, JSON.stringify({ ...credentials, url: keyOf(url) }, null, 2), { mode: 0o600 })
  renameSync(draft, path)
}

/** Returns the URL without its query, which may contain secrets. */
function keyOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}

function pathOf(url: URL): string {
  const name = createHash('sha256').update(keyOf(url)).digest('hex').slice(0, 32)
  return join(configFolder(), 'toolwright', 'logins', `${name}.json`)
}

function configFolder(): string {
  const { XDG_CONFIG_HOME: xdg, APPDATA: appData } = process.env
  if (process.platform === 'win32' && appData !== undefined && appData !== '') return appData
  return xdg === undefined || xdg === '' ? join(homedir(), '.config') : xdg
}
