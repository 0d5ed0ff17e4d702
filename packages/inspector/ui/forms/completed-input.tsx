// A text field with completions by the server: arguments of prompts, variables of templates.
import { useEffect, useId, useState } from 'preact/hooks'
import { primary } from '../state/connection.js'
import { rowsOf } from './schema-form.js'

type Reference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string }

interface Props {
  readonly name: string
  readonly label: string
  readonly help: string
  readonly isRequired: boolean
  readonly value: string
  readonly reference: Reference
  /** The other values, on which completions can depend. */
  readonly others: Readonly<Record<string, string>>
  readonly onChange: (value: string) => void
}

const delayMs = 150

export function CompletedInput({ name, label, help, isRequired, value, reference, others, onChange }: Props) {
  const id = useId()
  const [isLong, setLong] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const [options, setOptions] = useState<readonly string[]>([])
  const { client, capabilities } = primary.value
  const completes = capabilities.value.completions !== undefined
  useEffect(() => {
    if (!completes || !isFocused || client === null) return undefined
    const controller = new AbortController()
    const timer = setTimeout(() => {
      const params = { ref: reference, argument: { name, value }, context: { arguments: { ...others } } }
      client.complete(params, { signal: controller.signal }).then(
        ({ completion }) => setOptions(completion.values.slice(0, 100)),
        () => setOptions([]),
      )
    }, delayMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [value, isFocused, completes, client])
  const shared = {
    id,
    autocomplete: 'off',
    'aria-required': isRequired,
    'aria-describedby': help === '' ? undefined : `${id}-help`,
    value,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  } as const
  // Only an input of one line shows completions.
  const hasLines = !completes || isLong || value.includes('\n')
  return (
    <div class="field" data-field={name}>
      <label for={id}>
        <span class="field-name">{label}</span>
        {isRequired ? <span class="required">required</span> : null}
      </label>
      {hasLines ? (
        <textarea {...shared} class="growing" rows={rowsOf(value, isLong ? 3 : 1)} />
      ) : (
        <div class="with-button">
          <input
            {...shared}
            type="text"
            list={`${id}-options`}
            onFocus={() => setFocused(true)}
            onBlur={() => setFocused(false)}
            onPaste={(event) => {
              const pasted = event.clipboardData?.getData('text') ?? ''
              if (!pasted.includes('\n')) return
              event.preventDefault()
              const { selectionStart, selectionEnd } = event.currentTarget
              const [start, end] = [selectionStart ?? value.length, selectionEnd ?? value.length]
              onChange(`${value.slice(0, start)}${pasted.replaceAll('\r\n', '\n')}${value.slice(end)}`)
            }}
          />
          <button
            type="button"
            class="icon-button"
            title="Write several lines, without completions"
            aria-label={`Write several lines of ${label}`}
            onClick={() => setLong(true)}
          >
            ¶
          </button>
        </div>
      )}
      <datalist id={`${id}-options`}>
        {options.map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
      {help === '' ? null : (
        <p class="help" id={`${id}-help`}>
          {help.slice(0, 2000)}
        </p>
      )}
    </div>
  )
}
