// The arguments of a call: as a form, or as raw JSON.
import { type Draft, draftOf, read } from './draft.js'
import { type Reading, readJson, unreadable } from './exact-numbers.js'
import { initialValue, isObject, kindOf, type Shape } from './schema.js'
import { RootFields } from './schema-form.js'

/** What the user has typed: a form, or the text of the JSON editor. */
export interface Edited {
  readonly draft: Draft
  readonly raw: string | null
}

export function startOf(shape: Shape, value: unknown = initialValue(shape) ?? {}): Edited {
  return { draft: draftOf(shape, value), raw: null }
}

/** Reads the arguments. Arguments with a problem cannot be sent. */
export function readArguments(shape: Shape, { draft, raw }: Edited): Reading {
  if (raw === null) {
    const reading = read(shape, draft)
    return { ...reading, value: reading.value ?? {} }
  }
  const reading = readJson(raw)
  return reading.problem === '' && !isObject(reading.value) ? unreadable('Arguments are an object.') : reading
}

interface Props {
  readonly shape: Shape
  readonly edited: Edited
  readonly reading: Reading
  readonly onChange: (edited: Edited) => void
}

export function ArgumentsEditor({ shape, edited, reading, onChange }: Props) {
  const { draft, raw } = edited
  const showForm = (): void => {
    if (raw !== null) onChange({ draft: reading.problem === '' ? draftOf(shape, reading.value) : draft, raw: null })
  }
  const showJson = (): void => {
    if (raw === null) onChange({ draft, raw: JSON.stringify(reading.value, null, 2) })
  }
  return (
    <section class="arguments" aria-label="Arguments">
      <div class="section-head">
        <h3>Arguments</h3>
        <div class="segments" role="group" aria-label="Kind of editor">
          <button type="button" aria-pressed={raw === null} onClick={showForm}>
            Form
          </button>
          <button type="button" aria-pressed={raw !== null} onClick={showJson}>
            JSON
          </button>
        </div>
      </div>
      {raw !== null ? (
        <>
          <textarea
            class="code"
            rows={Math.min(Math.max(raw.split('\n').length + 1, 5), 20)}
            spellcheck={false}
            aria-label="Arguments as JSON"
            aria-invalid={reading.problem !== ''}
            aria-describedby="raw-error"
            value={raw}
            onInput={({ currentTarget }) => onChange({ draft, raw: currentTarget.value })}
          />
          <p class="field-error" id="raw-error" role="status">
            {reading.problem}
          </p>
        </>
      ) : hasFields(shape) ? (
        <RootFields shape={shape} draft={draft} onChange={(changed) => onChange({ draft: changed, raw: null })} />
      ) : (
        <p class="quiet">No arguments.</p>
      )}
    </section>
  )
}

/** Whether there is a form. An object of any members has one only if its schema says that members are expected. */
function hasFields(shape: Shape): boolean {
  const { additionalProperties, patternProperties } = shape.schema
  return (
    kindOf(shape) !== 'json' || additionalProperties === true || isObject(additionalProperties ?? patternProperties)
  )
}
