import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const mint = fileURLToPath(
  new URL('../../authorization/dist/mint.js', import.meta.url),
)

/**
 * Gets tokens from the development issuer of the server, and caches each token
 * until the server rejects it.
 */
export class TokenSource {
  #token: Promise<string> | null = null

  get(reason: 'request' | 'rejected'): Promise<string> {
    if (reason === 'rejected') this.#token = null
    this.#token ??= mintToken()
    return this.#token
  }
}

async function mintToken(): Promise<string> {
  const args = [
    mint,
    '--sub',
    'mara',
    '--roles',
    'Manager',
    '--scopes',
    'tools:write',
    '--expires-in',
    '60',
  ]
  const { stdout } = await execute(process.execPath, args)
  return stdout.trim()
}
