import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { splitWords } from '../client/target.js'
import { usageError } from '../command-error.js'
import { findEntry, isTypeScript } from '../find-entry.js'
import type { HttpServer, StdioServer } from './client.js'

export function httpServer(given: string, headerLines: readonly string[]): HttpServer {
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw usageError(`--url is '${given}'. Give a URL such as http://127.0.0.1:3000/mcp.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError("--url has a user name or a password. Give --header 'Authorization: …' instead.")
  }
  return { url: given, headers: Object.fromEntries(headerLines.map(readHeader)) }
}

function readHeader(line: string): readonly [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([^\r\n]*?)[ \t]*$/.exec(line) ?? []
  // The line may be a key without a name, so the message does not quote it.
  if (name === undefined || value === undefined)
    throw usageError("A --header has no name. Give --header 'name: value'.")
  return [name, value]
}

export function readEnv(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(line) ?? []
      if (name === undefined || value === undefined) throw usageError('An --env has no name. Give --env NAME=value.')
      return [name, value]
    }),
  )
}

/**
 * Returns the process of an entry file. The paths are absolute, because clients start the process in any folder and
 * without a shell. The process reads the settings of the project, as `npm start` does.
 */
export function entryServer(folder: string, given: string | undefined, env: StdioServer['env']): StdioServer {
  const entry = builtEntry(findEntry(folder, given))
  const settings = join(folder, '.env')
  const hasSettings = statSync(settings, { throwIfNoEntry: false })?.isFile() === true
  const args = [...(hasSettings ? [`--env-file=${settings}`] : []), entry, '--stdio']
  return { command: process.execPath, args, env }
}

/**
 * Returns the compiled file of an entry: `src/main.ts` -> `dist/main.js`. @throws CommandError if the compiled file
 * does not exist.
 */
export function builtEntry(entry: string): string {
  if (!isTypeScript(entry)) return entry
  const file = basename(entry).replace(/ts(x?)$/, 'js')
  const source = dirname(entry)
  const project = basename(source) === 'src' ? dirname(source) : source
  const found = [join(project, 'dist', file), join(project, 'dist', 'src', file)].find((path) => existsSync(path))
  if (found !== undefined) return found
  throw usageError(
    `'${entry}' is TypeScript, which clients cannot start, and ${join(project, 'dist', file)} does not exist. ` +
      'Build the project, or give the compiled file.',
  )
}

/** Returns the process of a command line. `node` and files become absolute paths. @throws CommandError */
export function commandServer(folder: string, line: string, env: StdioServer['env']): StdioServer {
  const [command, ...args] = splitWords(line)
  if (command === undefined) throw usageError("--stdio is empty. Give a command, such as 'node dist/main.js --stdio'.")
  const absolute = (word: string): string => {
    const path = resolve(folder, word)
    return (/[\\/]/.test(word) || /\.[cm]?js$/.test(word)) && !word.startsWith('-') && existsSync(path) ? path : word
  }
  return { command: command === 'node' ? process.execPath : absolute(command), args: args.map(absolute), env }
}

const namePattern = /^[A-Za-z\d][\w-]{0,63}$/

export function checkName(name: string): string {
  if (namePattern.test(name)) return name
  throw usageError(`--name is '${name}'. Use at most 64 characters: letters, digits, - and _.`)
}

export function suggestName(folder: string, url: string | undefined): string {
  const host = url === undefined ? '' : new URL(url).hostname
  const isLocal = ['', 'localhost', '127.0.0.1', '[::1]'].includes(host)
  return toName(isLocal ? projectName(folder) : host.replace(/^(?:mcp|www|api)\./, '').split('.')[0])
}

function projectName(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    try {
      const { name } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as { name?: unknown }
      if (typeof name === 'string') return name.replace(/^@[^/]*\//, '')
    } catch {
      // If package.json cannot be read, a parent folder may have a readable one.
    }
    if (at === dirname(at)) return folder.split(sep).at(-1)
  }
}

function toName(text = ''): string {
  const name = text
    .replace(/[^\w-]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '')
    .slice(0, 64)
  return namePattern.test(name) ? name : 'server'
}
