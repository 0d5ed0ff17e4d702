import { useState } from 'preact/hooks'

interface Props {
  /** Called on each click, because the text of a large result takes time to write. */
  readonly text: () => string
  readonly class?: string
  readonly label?: string
}

export function CopyButton({ text, class: kind = 'small', label }: Props) {
  const [outcome, setOutcome] = useState('Copy')
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text()).then(
      () => setOutcome('Copied'),
      () => setOutcome('Cannot copy'),
    )
    setTimeout(() => setOutcome('Copy'), 1500)
  }
  return (
    <button type="button" class={kind} aria-label={label} onClick={() => void copy()}>
      {outcome}
    </button>
  )
}
