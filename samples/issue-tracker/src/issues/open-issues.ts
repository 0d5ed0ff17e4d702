import { isBuiltin } from 'node:module'
import { BootError } from 'toolwright'
import type { Issues } from './issues.js'

/**
 * @throws BootError if this version of Node has no SQLite, or if the file
 * cannot be opened.
 */
export async function openIssues(file: string): Promise<Issues> {
  if (!isBuiltin('node:sqlite')) {
    throw bootError(
      `node:sqlite needs Node 22.13 or newer, but this is Node ${process.versions.node}. Install a newer one.`,
    )
  }
  // A static import would fail on an older version of Node before this check.
  const { SqliteIssues } = await import('./sqlite-issues.js')
  try {
    return new SqliteIssues(file)
  } catch (error) {
    throw bootError(
      `The database ${file} cannot be opened: ${(error as Error).message}. Set DATABASE to another file.`,
    )
  }
}

function bootError(message: string): BootError {
  return new BootError([{ code: 'bad-environment', message }])
}
