// A list of features with a filter. Arrow keys move through it.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

export interface ListedFeature {
  /** Name, or URI. */
  readonly key: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly icon?: string | undefined
  readonly tag?: string | undefined
}

interface Props {
  readonly label: string
  readonly features: readonly ListedFeature[]
  readonly selected: string
  readonly onSelect: (key: string) => void
  readonly empty: string
  readonly children?: ComponentChildren
}

/** Rows that are drawn at once. The filter finds the others. */
const maxRows = 300

export function FeatureList({ label, features, selected, onSelect, empty, children }: Props) {
  const [filter, setFilter] = useState('')
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [selected, features.length])
  const words = filter.toLowerCase().split(/\s+/)
  const found = features.filter(({ key, title = '', description = '' }) => {
    const text = `${key} ${title} ${description.slice(0, 2000)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return (
    <aside class="list-pane" aria-label={label}>
      <div class="list-tools">
        <input
          type="search"
          placeholder={`Filter ${label.toLowerCase()}`}
          aria-label={`Filter ${label.toLowerCase()}`}
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      </div>
      <ul ref={list} class="list" onKeyDown={moveFocus}>
        {found.slice(0, maxRows).map(({ key, title, description, icon, tag }) => (
          <li key={key}>
            <button
              type="button"
              class="row"
              aria-current={key === selected ? 'true' : undefined}
              onClick={() => onSelect(key)}
            >
              <span class="row-head">
                {icon === undefined ? null : <img class="row-icon" src={icon} alt="" />}
                <span class="row-name">{key.slice(0, 300)}</span>
                {tag === undefined ? null : <span class="tag">{tag}</span>}
              </span>
              {(title ?? description) === undefined ? null : (
                <span class="row-text">{(title ?? description ?? '').slice(0, 200)}</span>
              )}
            </button>
          </li>
        ))}
      </ul>
      {found.length > maxRows ? <p class="quiet pad">{found.length - maxRows} more: use the filter.</p> : null}
      {features.length === 0 ? <p class="quiet pad">{empty}</p> : null}
      {features.length > 0 && found.length === 0 ? <p class="quiet pad">Nothing matches.</p> : null}
      {children}
    </aside>
  )
}

function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('button.row')]
  const next = rows[rows.indexOf(document.activeElement as HTMLElement) + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

/** The first icon that needs no network. */
export function iconOf(feature: {
  readonly icons?: readonly { readonly src: string }[] | undefined
}): string | undefined {
  return feature.icons?.find(({ src }) => /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/.test(src))?.src
}
