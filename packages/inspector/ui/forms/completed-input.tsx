// A text field with completions by the server: arguments of prompts, variables of templates.
import { useEffect, useId, useState } from 'preact/hooks'
import { primary } from '../state/connection.js'

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
  return (
    <div class="field" data-field={name}>
      <label for={id}>
        <span class="field-name">{label}</span>
        {isRequired ? <span class="required">required</span> : null}
      </label>
      <input
        id={id}
        type="text"
        autocomplete="off"
        list={`${id}-options`}
        aria-required={isRequired}
        aria-describedby={help === '' ? undefined : `${id}-help`}
        value={value}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
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
