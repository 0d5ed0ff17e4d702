// Settings of the page: from the server in data attributes, from the user in the browser's storage.
import { effect, signal } from '@preact/signals'

export type EraName = 'modern' | 'legacy'

/** The era of calls, or both for a comparison. */
export type Mode = EraName | 'both'

export type Theme = 'auto' | 'light' | 'dark'

const {
  base = '/inspector',
  endpoint = '/mcp',
  target = endpoint,
  modern = '',
  report,
} = document.documentElement.dataset

export const page = { base, endpoint, target, modern, hasReport: report === 'true' } as const

/** A setting that survives a reload. Without storage, as in a private window, it lasts until then. */
function stored<Value extends string>(key: string, initial: Value, storage: () => Storage) {
  const name = `toolwright-inspector:${page.base}:${key}`
  const setting = signal<Value>(read(name, storage) ?? initial)
  effect(() => {
    const { value } = setting
    try {
      storage().setItem(name, value)
    } catch {
      // The storage is full or not available.
    }
  })
  return setting
}

function read<Value extends string>(name: string, storage: () => Storage): Value | null {
  try {
    return storage().getItem(name) as Value | null
  } catch {
    return null
  }
}

const kept = (): Storage => localStorage
/** Ends with the tab: a token does not belong on the disk. */
const ofTab = (): Storage => sessionStorage

export const mode = stored<Mode>('mode', 'modern', kept)
export const theme = stored<Theme>('theme', 'auto', kept)
export const logLevel = stored<string>('log-level', 'info', kept)
export const token = stored<string>('token', '', ofTab)
/** One header a line: `name: value`. */
export const headerLines = stored<string>('headers', '', ofTab)
/** One URI a line. */
export const rootLines = stored<string>('roots', '', kept)
/** Whether calls declare the extension for tasks. */
export const acceptsTasks = stored<'yes' | 'no'>('accepts-tasks', 'yes', kept)

/** The secret of the page, from the fragment of its address. */
const pageToken = stored<string>('page-token', '', ofTab)

/** Moves the secret from the address to the storage, so that it is neither shown nor copied with the address. */
function takeToken(): boolean {
  const [, given] = /^#token=([\w-]{1,200})$/.exec(location.hash) ?? []
  if (given === undefined) return false
  pageToken.value = given
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  return true
}

takeToken()
// The printed address of a new process was opened in the tab of an old one.
addEventListener('hashchange', () => {
  if (takeToken()) location.reload()
})

/** Headers of every request to the inspector itself. */
export function pageHeaders(): Record<string, string> {
  return pageToken.value === '' ? {} : { 'inspector-token': pageToken.value }
}

/** Headers of every request to the server. */
export function givenHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of headerLines.value.split('\n')) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) headers[name] = value
  }
  if (token.value.trim() !== '') headers['authorization'] = `Bearer ${token.value.trim()}`
  return headers
}

effect(() => {
  const { dataset } = document.documentElement
  if (theme.value === 'auto') delete dataset['theme']
  else dataset['theme'] = theme.value
})
