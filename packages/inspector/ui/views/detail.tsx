// The frame of a feature's view: its name, what one can do with it, and the way back to the list.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { primary } from '../state/connection.js'
import { open, type ViewName } from '../state/route.js'
import type { Run } from '../state/runs.js'

interface Props {
  readonly view: ViewName
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly tags?: readonly string[]
  readonly aside?: string
  readonly onSubmit: () => void
  readonly children: ComponentChildren
}

const maxDescription = 5000

export function Detail({ view, name, title, description, tags = [], aside, onSubmit, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  // On a narrow screen, the list is gone now, and with it the focus.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus()
  }, [])
  return (
    <form
      class="detail"
      aria-label={name.slice(0, 200)}
      noValidate={true}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        // A disabled button stays so for keys.
        event.currentTarget.querySelector<HTMLButtonElement>('button[type=submit]')?.click()
      }}
    >
      <header class="detail-head">
        <button type="button" class="back small" onClick={() => open(view)}>
          ← Back
        </button>
        <h2 ref={heading} tabIndex={-1}>
          <code>{name.slice(0, 500)}</code>
        </h2>
        {title === undefined ? null : <p class="detail-title">{title.slice(0, 300)}</p>}
        {description === undefined ? null : <p class="description">{description.slice(0, maxDescription)}</p>}
        <p class="tags">
          {tags.map((tag) => (
            <span key={tag} class="tag">
              {tag}
            </span>
          ))}
          {aside === undefined ? null : <span class="quiet">{aside}</span>}
        </p>
      </header>
      {children}
    </form>
  )
}

interface BarProps {
  readonly label: string
  readonly run: Run | undefined
  readonly isValid: boolean
  readonly children?: ComponentChildren
}

/** The button that sends, the one that cancels, and settings of the call. */
export function RunBar({ label, run, isValid, children }: BarProps) {
  const running = run?.eras.filter(({ state }) => state.value.status === 'running') ?? []
  return (
    <div class="run-bar">
      <button type="submit" class="primary" disabled={!isValid || primary.value.state.value !== 'ready'}>
        {label}
      </button>
      {running.length === 0 ? null : (
        <button
          type="button"
          class="cancel"
          onClick={() => {
            for (const eraRun of running) eraRun.cancel()
          }}
        >
          Cancel
        </button>
      )}
      {isValid ? null : (
        <button
          type="button"
          class="link bad"
          onClick={({ currentTarget }) =>
            currentTarget.form?.querySelector<HTMLElement>('.arguments [aria-invalid="true"]')?.focus()
          }
        >
          A field cannot be sent as it is
        </button>
      )}
      {children}
      <kbd class="hint">Ctrl + Enter</kbd>
    </div>
  )
}

/** Says why a listed item is not one of the protocol. */
export function InvalidNote({ problem }: { readonly problem: string }) {
  return (
    <p class="notice bad" role="note">
      <strong>The list has this item in an invalid form.</strong> Clients of the protocol reject the whole list:{' '}
      {problem}
    </p>
  )
}

export function NothingSelected({ what, name }: { readonly what: string; readonly name: string }) {
  return (
    <div class="nothing">
      <p>
        {name === ''
          ? `Choose a ${what} from the list.`
          : `The server lists no ${what} '${name.slice(0, 200)}' for this caller.`}
      </p>
    </div>
  )
}
