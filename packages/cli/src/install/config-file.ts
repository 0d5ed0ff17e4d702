import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { CommandError } from '../command-error.js'
import { InvalidDocument } from './documents/document.js'

/** Maximum number of backups of one file. Older backups are deleted. */
const maxBackups = 10

const mark = '\uFEFF'

/**
 * Returns the text of a file without its byte order mark, or `null` if the file does not exist.
 *
 * @throws InvalidDocument if the file is not UTF-8: writing it would change the bytes of other entries.
 */
export function readText(file: string): string | null {
  const bytes = readBytes(file)
  if (bytes === null) return null
  if (isUtf8(bytes)) return withoutMark(bytes.toString())
  const [valid = ''] = bytes.toString().split('\uFFFD')
  const lines = valid.split('\n')
  throw new InvalidDocument('the file is not UTF-8', lines.length, (lines.at(-1) as string).length + 1)
}

function readBytes(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * Replaces a file atomically. Keeps the file's mode, its byte order mark, and a symbolic link to the file.
 *
 * @param isPrivate Whether only the user can read a new file, because it may contain keys.
 * @throws CommandError for a read-only file: users protect configurations this way.
 */
export function writeText(file: string, text: string, isPrivate: boolean): void {
  const existing = statOf(file)
  const target = targetOf(file)
  if (existing !== null && (existing.mode & 0o222) === 0) {
    throw new CommandError(`${file} is read-only. Make it writable, then run the command again.`)
  }
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

/** Returns the file that a symbolic link names, even if this file does not exist yet; otherwise `file`. */
function targetOf(file: string): string {
  return isLink(file) ? targetOf(resolve(dirname(file), readlinkSync(file))) : file
}

export function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

export function deleteFile(file: string): void {
  rmSync(file)
}

/** Age in milliseconds after which a lock is left from a process that ended: a change takes a few milliseconds. */
const staleMs = 10_000

/**
 * Runs a function while no other process changes the file. The lock is a folder beside the file, as clients that use the package
 * `proper-lockfile` create it.
 *
 * @throws CommandError if another process keeps the lock.
 */
export async function withLock<Result>(file: string, run: () => Result): Promise<Result> {
  const lock = `${targetOf(file)}.lock`
  mkdirSync(dirname(lock), { recursive: true })
  const end = Date.now() + staleMs
  while (!takeLock(lock)) {
    if (Date.now() > end) throw new CommandError(`Another program changes ${file}. Run the command again.`)
    // oxlint-disable-next-line no-await-in-loop -- waits until the lock is free
    await setTimeout(20)
  }
  try {
    return run()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const { mtimeMs = Date.now() } = statSync(lock, { throwIfNoEntry: false }) ?? {}
  if (Date.now() - mtimeMs > staleMs) rmSync(lock, { recursive: true, force: true })
  return false
}

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
