import { useState } from 'preact/hooks'
import type { Frame } from '../state/wire.js'
import { eraLabels } from './era-name.js'
import { JsonView } from './json-view.js'
import { textOf } from './text-of.js'

interface Props {
  readonly frames: readonly Frame[]
  /** Whether to name the era of each frame. */
  readonly showsEra?: boolean
}

/** Messages, one a line. A line opens to the message and the HTTP headers. */
export function FrameList({ frames, showsEra = false }: Props) {
  return (
    <ol class="frames">
      {merge(frames).map(({ frame, first, count }) => (
        <FrameRow key={first} frame={frame} count={count} start={frames[0]?.at ?? 0} showsEra={showsEra} />
      ))}
    </ol>
  )
}

interface Row {
  /** The latest of several. */
  readonly frame: Frame
  readonly first: number
  readonly count: number
}

/** Merges the progress notifications of a call into one row. */
function merge(frames: readonly Frame[]): readonly Row[] {
  const rows = new Map<string | number, Row>()
  for (const frame of frames) {
    const { era, seq, message } = frame
    const isProgress = message?.method === 'notifications/progress'
    const key = isProgress ? `${era} ${textOf(message.params?.['progressToken'])}` : seq
    const row = rows.get(key)
    rows.set(key, { frame, first: row?.first ?? seq, count: (row?.count ?? 0) + 1 })
  }
  return [...rows.values()]
}

interface RowProps {
  readonly frame: Frame
  readonly count: number
  readonly start: number
  readonly showsEra: boolean
}

function FrameRow({ frame, count, start, showsEra }: RowProps) {
  const [isOpen, setOpen] = useState(false)
  const { direction, era, at, exchange, message } = frame
  return (
    <li class={`frame ${direction}`}>
      <button type="button" class="frame-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="arrow" aria-hidden="true">
          {direction === 'out' ? '→' : '←'}
        </span>
        <span class="visually-hidden">{direction === 'out' ? 'sent' : 'received'}</span>
        {showsEra ? <span class={`era-dot era-${era}`}>{eraLabels[era]}</span> : null}
        <span class="frame-what">{describe(frame)}</span>
        {count === 1 ? null : (
          <span class="count" title={`${count} messages. The row shows the latest one.`}>
            ×{count}
          </span>
        )}
        {message?.id === undefined ? null : <span class="frame-id">#{textOf(message.id).slice(0, 12)}</span>}
        {direction === 'in' && exchange.status !== null && exchange.status >= 400 ? (
          <span class="tag bad">{exchange.status}</span>
        ) : null}
        <span class="frame-time">+{Math.round(at - start)} ms</span>
      </button>
      {isOpen ? (
        <div class="frame-body">
          {message === null ? <p class="quiet">{frame.note}</p> : <JsonView value={message} label="Message" />}
          <details>
            <summary>
              HTTP {exchange.method} {exchange.status ?? ''}
            </summary>
            <JsonView
              value={direction === 'out' ? exchange.requestHeaders : exchange.responseHeaders}
              label="Headers"
            />
          </details>
        </div>
      ) : null}
    </li>
  )
}

function describe({ message, note, direction }: Frame): string {
  if (message === null) return note.slice(0, 200)
  const { method, params, result, error } = message
  if (method !== undefined) {
    const subject = params?.['name'] ?? params?.['uri'] ?? params?.['taskId']
    return typeof subject === 'string' ? `${method} ${subject.slice(0, 100)}` : method.slice(0, 100)
  }
  if (error !== undefined) return `error ${textOf(error.code)}: ${textOf(error.message).slice(0, 150)}`
  const type = result?.['resultType']
  const kind = typeof type === 'string' && type !== 'complete' ? type : direction === 'out' ? 'response' : 'result'
  return result?.['isError'] === true ? `${kind}, isError` : kind
}
