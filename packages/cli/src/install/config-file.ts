import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Maximum number of backups of one file. Older backups are deleted. */
const maxBackups = 10

const mark = '\uFEFF'

/** Returns the text of a file without its byte order mark, or `null` if the file does not exist. */
export function readText(file: string): string | null {
  try {
    return withoutMark(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * Replaces a file atomically. Keeps the file's mode, its byte order mark, and a symbolic link to the file.
 *
 * @param isPrivate Whether only the user can read a new file, because it may contain keys.
 */
export function writeText(file: string, text: string, isPrivate: boolean): void {
  const existing = statOf(file)
  const target = existing === null ? file : realpathSync(file)
  mkdirSync(dirname(target), { recursive: true })
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`)
  const hasMark = existing !== null && readFileSync(target, 'utf8').startsWith(mark)
  try {
    const mode = existing?.mode ?? (isPrivate ? 0o600 : 0o644)
    writeFileSync(temporary, `${hasMark ? mark : ''}${text}`, { flag: 'wx', mode: 0o600, flush: true })
    chmodSync(temporary, mode & 0o777)
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

export function deleteFile(file: string): void {
  rmSync(file)
}

/** Copies a file to a new file in the same folder. @returns The path of the copy. */
export function backUp(file: string, now: Date = new Date()): string {
  const time = now.toISOString().replace(/\.\d+/, '').replaceAll(':', '-')
  for (let count = 1; ; count++) {
    const copy = `${file}.${time}${count === 1 ? '' : `-${count}`}.bak`
    try {
      copyFileSync(file, copy, constants.COPYFILE_EXCL)
      for (const old of backupsOf(file).slice(maxBackups)) rmSync(old, { force: true })
      return copy
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Returns the paths of a file's backups, the newest first. */
export function backupsOf(file: string): readonly string[] {
  const prefix = `${basename(file)}.`
  const isBackup = (name: string): boolean =>
    name.startsWith(prefix) && /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(?:-\d+)?\.bak$/.test(name.slice(prefix.length))
  const collator = new Intl.Collator('en', { numeric: true })
  try {
    const names = readdirSync(dirname(file)).filter(isBackup)
    return names
      .toSorted(collator.compare)
      .toReversed()
      .map((name) => join(dirname(file), name))
  } catch {
    return []
  }
}

function withoutMark(text: string): string {
  return text.startsWith(mark) ? text.slice(1) : text
}

function statOf(file: string): { readonly mode: number } | null {
  return statSync(file, { throwIfNoEntry: false }) ?? null
}
