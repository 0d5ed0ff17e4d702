// The arguments of a call: as a form, or as raw JSON.
import { useState } from 'preact/hooks'
import { isObject, membersOf, type Schema } from './schema.js'
import { ObjectFields } from './schema-form.js'

interface Props {
  readonly schema: Schema
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Record<string, unknown>) => void
  /** Reports whether the raw JSON can be sent. */
  readonly onValid: (isValid: boolean) => void
}

export function ArgumentsEditor({ schema, value, onChange, onValid }: Props) {
  const [raw, setRaw] = useState<string | null>(null)
  const [error, setError] = useState('')
  const isEmpty = membersOf(schema, schema).length === 0
  const editRaw = (text: string): void => {
    setRaw(text)
    const problem = readProblem(text)
    setError(problem ?? '')
    onValid(problem === null)
    if (problem === null) onChange(JSON.parse(text) as Record<string, unknown>)
  }
  const showForm = (): void => {
    setRaw(null)
    setError('')
    onValid(true)
  }
  return (
    <section class="arguments" aria-label="Arguments">
      <div class="section-head">
        <h3>Arguments</h3>
        <div class="segments" role="group" aria-label="Kind of editor">
          <button type="button" aria-pressed={raw === null} onClick={showForm}>
            Form
          </button>
          <button type="button" aria-pressed={raw !== null} onClick={() => editRaw(JSON.stringify(value, null, 2))}>
            JSON
          </button>
        </div>
      </div>
      {raw === null ? (
        isEmpty ? (
          <p class="quiet">No arguments.</p>
        ) : (
          <ObjectFields
            schema={schema}
            root={schema}
            value={value}
            onChange={(changed) => onChange(changed as never)}
          />
        )
      ) : (
        <>
          <textarea
            class="code"
            rows={Math.min(Math.max(raw.split('\n').length + 1, 5), 20)}
            spellcheck={false}
            aria-label="Arguments as JSON"
            aria-invalid={error !== ''}
            aria-describedby="raw-error"
            value={raw}
            onInput={({ currentTarget }) => editRaw(currentTarget.value)}
          />
          <p class="field-error" id="raw-error" role="status">
            {error}
          </p>
        </>
      )}
    </section>
  )
}

function readProblem(text: string): string | null {
  try {
    return isObject(JSON.parse(text)) ? null : 'Arguments are an object.'
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not JSON.'
  }
}
