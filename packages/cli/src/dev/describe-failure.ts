import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

interface CompilerError extends Error {
  readonly id?: unknown
  readonly frame?: unknown
  readonly loc?: { readonly file?: unknown; readonly line?: unknown; readonly column?: unknown }
}

interface Diagnostic {
  readonly message: string
  readonly code: string
  readonly cause?: unknown
}

/** Describes why a program could not be loaded: the problem and its place, without frames of this command. */
export function describeFailure(error: unknown, root: string): string {
  if (!(error instanceof Error)) return String(error)
  const { diagnostics } = error as { readonly diagnostics?: unknown }
  if (error.name === 'BootError' && Array.isArray(diagnostics)) {
    return (diagnostics as readonly Diagnostic[]).map((each) => describeDiagnostic(each, root)).join('\n\n')
  }
  return describeError(error, root)
}

function describeDiagnostic({ message, code, cause }: Diagnostic, root: string): string {
  const hasPlace = cause instanceof Error && isCompilerError(cause)
  return hasPlace ? describeError(cause, root) : `${message} [${code}]${describeCause(cause, root)}`
}

function describeCause(cause: unknown, root: string): string {
  if (!(cause instanceof Error)) return ''
  const frames = framesOf(cause, root)
  return frames === '' ? '' : `\n${frames}`
}

function describeError(error: Error, root: string): string {
  if (isCompilerError(error)) return describeCompilerError(error, root)
  const frames = framesOf(error, root)
  return `${error.name}: ${error.message}${frames === '' ? '' : `\n${frames}`}`
}

function isCompilerError(error: CompilerError): boolean {
  return typeof error.frame === 'string' || typeof error.id === 'string' || 'plugin' in error
}

function describeCompilerError(error: CompilerError, root: string): string {
  const message = stripVTControlCharacters(error.message).trim()
  const file = error.loc?.file ?? error.id
  const place = typeof file === 'string' ? shortPath(file, root) : ''
  const line = typeof error.loc?.line === 'number' ? `:${error.loc.line}:${Number(error.loc.column ?? 0)}` : ''
  const frame = typeof error.frame === 'string' ? stripVTControlCharacters(error.frame).trimEnd() : ''
  // Omits the frame if the message of the compiler already contains it.
  const ownFrame = frame !== '' && !message.includes(frame.trim()) ? `\n${frame}` : ''
  const isPlaced = place === '' || message.includes(place)
  return `${isPlaced ? '' : `${place}${line}\n`}${withoutRoot(message, root)}${ownFrame}`
}

function framesOf({ stack = '' }: Error, root: string): string {
  const lines = stack.split('\n').filter((line) => /^\s+at /.test(line))
  const own = lines.filter((line) => withoutRoot(line, root) !== line && !line.includes('node_modules'))
  return withoutRoot(own.join('\n'), root)
}

function withoutRoot(text: string, root: string): string {
  return spellingsOf(root).reduce((rest, prefix) => rest.replaceAll(prefix, ''), text)
}

/** Lists the spellings of the project folder: in URLs, on Windows, and in Vite, whose paths have slashes. */
function spellingsOf(root: string): readonly string[] {
  const windows = /^[a-z]:\\/i.test(root)
  const url = pathToFileURL(root, { windows }).href
  return windows
    ? [`${url}/`, `${root}\\`, `${root.replaceAll('\\', '/')}/`]
    : [`${url}/`, `file://${root}/`, `${root}/`]
}

export function shortPath(file: string, root: string): string {
  const short = relative(root, file)
  return short.startsWith('..') ? file : short
}
