// A request of the server that a person answers: elicitation by a form or a URL, and sampling.
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Draft, draftOf, read } from '../forms/draft.js'
import { initialValue, isObject, type Schema, shapeOf } from '../forms/schema.js'
import { RootFields } from '../forms/schema-form.js'
import { type Question, questions } from '../state/questions.js'
import type { Block } from './content.js'
import { EraLabel } from './era-name.js'
import { Guard } from './guard.js'
import { JsonView } from './json-view.js'
import { Messages } from './run-view.js'
import { textOf } from './text-of.js'

/** The oldest open question, as a modal dialog. */
export function QuestionDialog() {
  const [question] = questions.value
  const waiting = questions.value.length - 1
  return question === undefined ? null : <Dialog key={question.key} question={question} waiting={waiting} />
}

const titles = {
  form: 'The server asks you',
  url: 'The server asks you to open a page',
  sampling: 'The server asks your model',
} as const

function Dialog({ question, waiting }: { readonly question: Question; readonly waiting: number }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    return () => dialog.current?.close()
  }, [])
  const dismiss = (): void =>
    question.kind === 'sampling'
      ? question.reject('The user rejected the request')
      : question.answer({ action: 'cancel' })
  return (
    <dialog
      ref={dialog}
      class="question"
      aria-labelledby="question-title"
      onCancel={(event) => {
        event.preventDefault()
        dismiss()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        event.currentTarget.querySelector<HTMLButtonElement>('button[type=submit]')?.click()
      }}
    >
      <header class="dialog-head">
        <h2 id="question-title">{titles[question.kind]}</h2>
        <EraLabel era={question.era} />
        {waiting > 0 ? <span class="tag">{waiting} more</span> : null}
      </header>
      <Guard what="question. Press Escape to cancel it">
        {question.kind === 'form' ? <FormQuestion question={question} /> : null}
        {question.kind === 'url' ? <UrlQuestion question={question} /> : null}
        {question.kind === 'sampling' ? <SamplingQuestion question={question} /> : null}
      </Guard>
    </dialog>
  )
}

interface Props {
  readonly question: Question
}

function FormQuestion({ question }: Props) {
  const [shape] = useState(() => {
    const { requestedSchema: given } = question.params
    const schema: Schema = { type: 'object', ...(isObject(given) ? given : {}) }
    return shapeOf(schema, schema)
  })
  const [draft, setDraft] = useState<Draft>(() => draftOf(shape, initialValue(shape) ?? {}))
  const { value: content = {}, problem } = read(shape, draft)
  return (
    <form
      noValidate={true}
      onSubmit={(event) => {
        event.preventDefault()
        if (problem === '') question.answer({ action: 'accept', content })
      }}
    >
      <p class="asked">{textOf(question.params['message']).slice(0, 5000)}</p>
      <RootFields shape={shape} draft={draft} onChange={setDraft} />
      <div class="dialog-actions">
        <button type="button" onClick={() => question.answer({ action: 'cancel' })}>
          Cancel
        </button>
        <button type="button" onClick={() => question.answer({ action: 'decline' })}>
          Decline
        </button>
        <button type="submit" class="primary" disabled={problem !== ''}>
          Accept
        </button>
      </div>
    </form>
  )
}

function UrlQuestion({ question }: Props) {
  const url = textOf(question.params['url'])
  const isWeb = /^https?:\/\//i.test(url) && URL.canParse(url)
  return (
    <>
      <p class="asked">{textOf(question.params['message']).slice(0, 5000)}</p>
      <p class="asked-url">
        <code class="uri">{url.slice(0, 2000)}</code>
      </p>
      {isWeb ? (
        <p>
          <a href={url} target="_blank" rel="noopener noreferrer">
            Open {new URL(url).host} in a new tab
          </a>
        </p>
      ) : (
        <p class="error">This is not a web address, so it cannot be opened.</p>
      )}
      <div class="dialog-actions">
        <button type="button" onClick={() => question.answer({ action: 'cancel' })}>
          Cancel
        </button>
        <button type="button" onClick={() => question.answer({ action: 'decline' })}>
          Decline
        </button>
        <button type="button" class="primary" onClick={() => question.answer({ action: 'accept' })}>
          Accept
        </button>
      </div>
    </>
  )
}

function SamplingQuestion({ question }: Props) {
  const { messages, systemPrompt, maxTokens, ...others } = question.params
  const [text, setText] = useState('')
  const [model, setModel] = useState('inspector-user')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        question.answer({ role: 'assistant', model, stopReason: 'endTurn', content: { type: 'text', text } })
      }}
    >
      {typeof systemPrompt === 'string' ? <p class="asked">{systemPrompt.slice(0, 5000)}</p> : null}
      <Messages messages={(Array.isArray(messages) ? messages : []) as { role: string; content: Block }[]} />
      <p class="quiet">At most {String(maxTokens)} tokens.</p>
      {Object.keys(others).length === 0 ? null : (
        <details>
          <summary>Other parameters</summary>
          <JsonView value={others} label="Other parameters" />
        </details>
      )}
      <div class="field">
        <label for="sampling-text">
          <span class="field-name">Your answer, as the model</span>
        </label>
        <textarea
          id="sampling-text"
          rows={4}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="sampling-model">
          <span class="field-name">Model</span>
        </label>
        <input id="sampling-model" value={model} onInput={({ currentTarget }) => setModel(currentTarget.value)} />
      </div>
      <div class="dialog-actions">
        <button type="button" onClick={() => question.reject('The user rejected the request')}>
          Reject
        </button>
        <button type="submit" class="primary">
          Send
        </button>
      </div>
    </form>
  )
}
