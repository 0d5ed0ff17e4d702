import { isDeepStrictEqual } from 'node:util'
import { CommandError } from '../command-error.js'
import { type Client, entryOf, type Machine, type Scope, type Server, startable, writtenFields } from './client.js'
import { backUp, backupsOf, deleteFile, isLink, readText, withLock, writeText } from './config-file.js'
import { type DocumentFormat, InvalidDocument, type Path, valueAt } from './documents/document.js'
import { jsonDocument } from './documents/json.js'
import { tomlDocument } from './documents/toml.js'

export interface Action {
  readonly client: Client
  readonly scope: Scope
  readonly machine: Machine
  readonly name: string
  /** The server to add; `null` removes the entry. */
  readonly server: Server | null
}

export interface Change {
  readonly action: Action
  readonly file: string
  readonly kind: 'added' | 'updated' | 'removed' | 'unchanged' | 'absent'
  /** Text of the file; `null` if it does not exist. */
  readonly before: string | null
  /** Text to write; `null` deletes the file. */
  readonly after: string | null
  /** Backup to restore. The backup is deleted afterwards. */
  readonly restored: string | null
}

type Entry = Readonly<Record<string, unknown>>

export function documentOf({ format }: Client): DocumentFormat {
  return format === 'json' ? jsonDocument : tomlDocument
}

export function pathOf({ client, name }: Action): Path {
  return [client.container, name]
}

/** @throws CommandError if the client has no configuration in the scope, or its file is broken. */
export function planChange(action: Action): Change {
  const { client, scope, machine } = action
  const file = client.files[scope]?.(machine)
  if (file === undefined) {
    throw new CommandError(`${client.title} has no configuration per project. Leave out --scope project.`)
  }
  try {
    const before = readText(file)
    const planned = action.server === null ? planRemoval(action, file, before) : planEntry(action, before)
    return { action, file, before, restored: null, ...planned }
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw ofFile(file, error)
    throw new CommandError(
      `${file}:${error.line}:${error.column}: ${error.message}. ` +
        `The file was not changed. Correct it, then run the command again.`,
    )
  }
}

type Planned = Pick<Change, 'kind' | 'after'> & Partial<Pick<Change, 'restored'>>

function planEntry(action: Action, before: string | null): Planned {
  const document = documentOf(action.client)
  const path = pathOf(action)
  const text = before ?? ''
  const server = startable(action.server as Server, action.client, action.machine, action.scope)
  const wanted = entryOf(action.client, server) as Entry
  const old = entryAt(document, text, path)
  if (old === undefined) {
    const after = document.set(text, path, wanted)
    return { kind: 'added', after: checked(document, after, text, path, wanted) }
  }
  const kept = Object.fromEntries(Object.entries(old).filter(([key]) => !writtenFields.includes(key)))
  const merged: Entry = { ...kept, ...wanted }
  if (isDeepStrictEqual(old, merged)) return { kind: 'unchanged', after: before }
  // Changes single fields, so that comments and other fields of the entry stay.
  const stale = Object.keys(old).filter((key) => !(key in merged))
  const without = stale.reduce((changed, key) => document.remove(changed, [...path, key]), text)
  const after = Object.entries(wanted).reduce(
    (changed, [key, value]) =>
      isDeepStrictEqual(old[key], value) ? changed : document.set(changed, [...path, key], value),
    without,
  )
  return { kind: 'updated', after: checked(document, after, text, path, merged) }
}

function planRemoval(action: Action, file: string, before: string | null): Planned {
  const document = documentOf(action.client)
  const path = pathOf(action)
  const entry = before === null ? undefined : entryAt(document, before, path)
  if (before === null || entry === undefined) return { kind: 'absent', after: before }
  if (document.set('', path, entry) === before && !isLink(file)) return { kind: 'removed', after: null }
  const backup = findOrigin(document, file, path, before, entry)
  if (backup !== null) return { kind: 'removed', after: readText(backup), restored: backup }
  const without = document.remove(before, path)
  checked(document, without, before, path, undefined)
  return { kind: 'removed', after: withoutEmpty(document, without, path.slice(0, -1)) }
}

/**
 * Finds a backup that differs from the text only by the added entry, so that restoring the backup removes only the
 * entry.
 */
function findOrigin(document: DocumentFormat, file: string, path: Path, text: string, entry: Entry): string | null {
  const isOrigin = (backup: string): boolean => {
    try {
      const old = readText(backup) ?? ''
      return entryAt(document, old, path) === undefined && document.set(old, path, entry) === text
    } catch {
      return false
    }
  }
  return backupsOf(file).find(isOrigin) ?? null
}

function withoutEmpty(document: DocumentFormat, text: string, path: Path): string {
  const value = valueAt(document.parse(text), path)
  if (typeof value !== 'object' || value === null || Object.keys(value).length > 0) return text
  const without = document.remove(text, path)
  const comments = (of: string): number => of.split(/\/\/|\/\*|#/).length
  return comments(without) === comments(text) ? without : text
}

function entryAt(document: DocumentFormat, text: string, path: Path): Entry | undefined {
  const entry = valueAt(document.parse(text), path)
  if (entry === undefined || (typeof entry === 'object' && entry !== null)) return entry as Entry | undefined
  throw new InvalidDocument(`'${path.join('.')}' is not an object`, 1, 1)
}

/** Checks that the entry is the only change of a text: a bug must not destroy the user's configuration. */
function checked(document: DocumentFormat, after: string, before: string, path: Path, entry: unknown): string {
  const [container = '', name = ''] = path
  const rest = (text: string): unknown => {
    const { [container]: entries = {}, ...others } = document.parse(text)
    const { [name]: _, ...neighbours } = entries as Entry
    return { ...others, [container]: neighbours }
  }
  const isSame = isDeepStrictEqual(rest(after), rest(before))
  if (isSame && isDeepStrictEqual(valueAt(document.parse(after), path), entry)) return after
  throw new CommandError(
    `The entry '${path.join('.')}' cannot be changed without changing other entries. Edit the file by hand.`,
  )
}

/**
 * Writes a change. The file is read again, because a client may have written it since the change was planned.
 *
 * @returns The path of the backup; `null` if there was nothing to back up.
 */
export async function applyChange(planned: Change): Promise<string | null> {
  try {
    return await withLock(planned.file, () => writeChange(planned))
  } catch (error) {
    throw ofFile(planned.file, error)
  }
}

function writeChange(planned: Change): string | null {
  const { file, before, after, restored, action } = planChange(planned.action)
  if (after === before) return null
  if (after === null) {
    deleteFile(file)
    return null
  }
  const backup = before === null || restored !== null ? null : backUp(file)
  writeText(file, after, action.scope === 'user')
  if (restored !== null) deleteFile(restored)
  return backup
}

function ofFile(file: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return error
  return new CommandError(`${file} cannot be changed: ${message.replace(/^\w+: /, '').replace(/,.*/, '')} (${code}).`)
}
