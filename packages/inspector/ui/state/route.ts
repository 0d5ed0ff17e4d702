// The view and the feature that are shown, in the fragment of the URL.
import { signal } from '@preact/signals'

export type ViewName = 'tools' | 'prompts' | 'resources' | 'tasks' | 'notifications' | 'wire' | 'access' | 'server'

export const viewNames: readonly ViewName[] = [
  'tools',
  'prompts',
  'resources',
  'tasks',
  'notifications',
  'wire',
  'access',
  'server',
]

export interface Route {
  readonly view: ViewName
  /** Name of a tool or prompt, or URI of a resource; empty for none. */
  readonly name: string
}

export const route = signal<Route>(readRoute())

addEventListener('hashchange', () => {
  route.value = readRoute()
})

export function open(view: ViewName, name = ''): void {
  const hash = `#/${view}${name === '' ? '' : `/${encodeURIComponent(name)}`}`
  if (location.hash === hash) return
  location.hash = hash
}

function readRoute(): Route {
  const [, view = '', name = ''] = /^#\/(\w+)(?:\/(.*))?$/.exec(location.hash) ?? []
  const known = viewNames.find((each) => each === view) ?? 'tools'
  return { view: known, name: decode(name) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
