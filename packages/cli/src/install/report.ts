import { paint } from '../terminal.js'
import { isFound } from './ask.js'
import type { Change } from './change.js'
import { formatDiff } from './show-change.js'

export function describeChange(change: Change): string {
  const { action, file, kind } = change
  const found = isFound(action.client, action.machine) ? '' : ' (not found on this machine)'
  const notes: Partial<Record<Change['kind'], string>> = {
    unchanged: `  ${action.name} exists already`,
    absent: `  ${action.name} does not exist`,
  }
  const shown = notes[kind] ?? formatDiff(change)
  return `${paint(process.stdout, 'bold', action.client.title)}${found}  ${paint(process.stdout, 'dim', file)}\n${shown}\n\n`
}

export function summarize(
  written: readonly Change[],
  backups: ReadonlyMap<Change, string | null>,
  isDryRun: boolean,
): string {
  if (isDryRun) return 'Nothing was written (--dry-run).\n'
  if (written.length === 0) return 'Nothing to change.\n'
  return written.map((change) => `${summarizeChange(change, backups.get(change) ?? null)}\n`).join('')
}

function summarizeChange({ action, after, kind }: Change, backup: string | null): string {
  const { name, client, scope } = action
  const { title, next, projectNote } = client
  const note = scope === 'project' && projectNote !== undefined ? ` ${projectNote}` : ''
  const copy = backup === null ? '' : `\n  Backup: ${backup}`
  if (kind === 'removed') {
    return `Removed ${name} from ${title}.${after === null ? ' The file had nothing else, and was deleted.' : copy}`
  }
  return `${kind === 'added' ? `Added ${name} to` : `Updated ${name} in`} ${title}. ${next}${note}${copy}`
}

export function toJson(
  changes: readonly Change[],
  backups: ReadonlyMap<Change, string | null>,
  name: string,
  isDryRun: boolean,
): object {
  return {
    name,
    dryRun: isDryRun,
    clients: changes.map((change) => ({
      client: change.action.client.id,
      scope: change.action.scope,
      file: change.file,
      change: change.kind,
      backup: backups.get(change) ?? null,
    })),
  }
}
