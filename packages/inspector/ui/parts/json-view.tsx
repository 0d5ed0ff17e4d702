// JSON and texts, as text: nothing of it is ever HTML.
import { useState } from 'preact/hooks'
import { CopyButton } from './copy-button.js'

/** Longest text that is drawn at once. A browser takes seconds for megabytes. */
const maxShown = 20_000

interface TextProps {
  readonly text: string
  readonly label?: string
  readonly kind?: 'text' | 'json'
}

/** A text, cut if it is long. */
export function TextView({ text, label, kind = 'text' }: TextProps) {
  const [shown, setShown] = useState(maxShown)
  const part = text.length > shown ? text.slice(0, shown) : text
  return (
    <div class="text-view">
      <CopyButton class="copy" text={() => text} />
      {/* biome-ignore format: a line break would be part of the text */}
      <pre class={kind} tabIndex={0} role="region" aria-label={label ?? (kind === 'json' ? 'JSON' : 'Text')}>{kind === 'json' ? colour(part) : part}</pre>
      {text.length > shown ? (
        <button type="button" class="small" onClick={() => setShown(shown * 10)}>
          Show more: {(text.length - shown).toLocaleString('en-US')} of {text.length.toLocaleString('en-US')} characters
          are hidden
        </button>
      ) : null}
    </div>
  )
}

export function JsonView({ value, label }: { readonly value: unknown; readonly label?: string }) {
  return <TextView text={JSON.stringify(value, null, 2) ?? 'undefined'} kind="json" {...(label ? { label } : {})} />
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Wraps the tokens of a JSON text in elements. The texts stay text nodes. */
function colour(json: string) {
  const parts = []
  let end = 0
  for (const match of json.matchAll(token)) {
    const [text, string, colon] = match
    parts.push(json.slice(end, match.index))
    end = match.index + text.length
    const kind = string === undefined ? 'literal' : colon === undefined ? 'string' : 'key'
    parts.push(<span class={`json-${kind}`}>{string ?? text}</span>, colon ?? '')
  }
  parts.push(json.slice(end))
  return parts
}
