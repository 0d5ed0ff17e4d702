// A call and its result, in each era that was asked.
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { parseForDisplay } from '../forms/exact-numbers.js'
import type { EraRun, Run, RunState } from '../state/runs.js'
import { frames } from '../state/wire.js'
import { type Block, ContentBlocks, type Contents, ContentsView } from './content.js'
import { CopyButton } from './copy-button.js'
import { EraLabel } from './era-name.js'
import { FrameList } from './frames.js'
import { JsonView, TextView } from './json-view.js'
import { save } from './save.js'

interface Props {
  readonly run: Run
  readonly outputSchema?: unknown
  /** Drawn above the result of each era. */
  readonly extra?: (eraRun: EraRun) => ComponentChildren
}

/** The run that was scrolled to, so that a return to the view does not scroll. */
let lastShown = 0
let lastStatus = false

export function RunView({ run, outputSchema, extra }: Props) {
  const section = useRef<HTMLElement>(null)
  const isRunning = run.eras.some(({ state }) => state.value.status === 'running')
  // The form may be longer than the window.
  useEffect(() => {
    if (lastShown === run.number && isRunning) return
    const isNew = lastShown !== run.number || lastStatus
    lastShown = run.number
    lastStatus = isRunning
    const top = section.current?.getBoundingClientRect().top ?? 0
    if (isNew && (top < 0 || top > innerHeight * 0.6)) section.current?.scrollIntoView({ block: 'start' })
  }, [run.number, isRunning])
  return (
    <section ref={section} class="results" data-eras={run.eras.length} aria-label="Result">
      {run.eras.map((eraRun) => (
        <EraResult key={`${run.number}-${eraRun.era}`} eraRun={eraRun} outputSchema={outputSchema} extra={extra} />
      ))}
    </section>
  )
}

interface EraProps extends Omit<Props, 'run'> {
  readonly eraRun: EraRun
}

function EraResult({ eraRun, outputSchema, extra }: EraProps) {
  const { era, state } = eraRun
  const { status, ms, progress, logs, result: given, error, task } = state.value
  const result = useMemo(() => (given === null ? null : exact(given, eraRun)), [given])
  const isError = result?.['isError'] === true
  const shown = status === 'done' && isError ? 'error' : status
  return (
    <article class="result" data-era={era} data-status={shown}>
      <header class="result-head">
        <EraLabel era={era} />
        <span class={`status ${shown}`} role="status">
          {statusTexts[shown]}
        </span>
        {status === 'running' ? null : <span class="quiet">{formatMs(ms)}</span>}
        {result === null ? null : <ResultActions result={result} />}
      </header>
      {task === null ? null : (
        <p class="task-line" data-task={task.value.status}>
          Task <code>{task.value.taskId}</code> <span class="tag">{task.value.status}</span> {task.value.statusMessage}
        </p>
      )}
      {progress === null ? null : <ProgressBar progress={progress} isRunning={status === 'running'} />}
      {logs.length === 0 ? null : <Logs logs={logs} />}
      {error === '' ? null : (
        <div class="error" role="alert">
          <TextView text={error} label="Error" />
        </div>
      )}
      {extra?.(eraRun)}
      {result === null ? null : <ResultBody result={result} outputSchema={outputSchema} />}
      <RunFrames eraRun={eraRun} />
    </article>
  )
}

type Result = Readonly<Record<string, unknown>>

/** The structured result as received: the client has rounded numbers that JavaScript cannot hold. */
function exact(result: Result, { era, state }: EraRun): Result {
  const { structuredContent } = result
  if (structuredContent === undefined) return result
  const rounded = JSON.stringify(structuredContent)
  const { from } = state.value
  const received = frames
    .peek()
    .filter((frame) => frame.era === era && frame.seq > from && frame.direction === 'in')
    .map(({ message }) => (message?.result?.['result'] as Result | undefined) ?? message?.result)
    .findLast((each) => isRounded(each?.['structuredContent'], rounded))
  return received === undefined ? result : { ...result, structuredContent: received['structuredContent'] }
}

/** Whether a value is another one before its numbers were rounded. */
function isRounded(received: unknown, rounded: string): boolean {
  if (received === undefined) return false
  const text = JSON.stringify(received)
  return text !== rounded && JSON.stringify(JSON.parse(text)) === rounded
}

function ResultActions({ result }: { readonly result: Result }) {
  const write = (): string => JSON.stringify(result, null, 2)
  return (
    <span class="result-actions">
      <CopyButton text={write} label="Copy the result" />
      <button
        type="button"
        class="small"
        aria-label="Download the result"
        onClick={() => save('result.json', write(), 'application/json')}
      >
        Download
      </button>
    </span>
  )
}

const statusTexts: Readonly<Record<RunState['status'] | 'error', string>> = {
  running: 'Running',
  done: 'OK',
  failed: 'Failed',
  cancelled: 'Cancelled',
  error: 'Error',
}

function formatMs(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

interface ProgressProps {
  readonly progress: NonNullable<RunState['progress']>
  readonly isRunning: boolean
}

function ProgressBar({ progress: { progress, total, message }, isRunning }: ProgressProps) {
  const text = total === undefined ? String(progress) : `${progress} of ${total}`
  return (
    <div class="progress">
      <progress
        aria-label="Progress"
        {...(total === undefined && isRunning ? {} : { value: progress, max: total ?? progress })}
      />
      <span class="quiet">
        {text} {message?.slice(0, 300)}
      </span>
    </div>
  )
}

function Logs({ logs }: Pick<RunState, 'logs'>) {
  return (
    <ul class="logs" aria-label="Log messages">
      {logs.map(({ level, logger, data }, index) => (
        <li key={index}>
          <span class={`level level-${level}`}>{level}</span>
          {logger === undefined ? null : <span class="quiet">{logger.slice(0, 60)}</span>}
          <span class="log-data">
            {(typeof data === 'string' ? data : (JSON.stringify(data) ?? '')).slice(0, 2000)}
          </span>
        </li>
      ))}
    </ul>
  )
}

interface BodyProps {
  readonly result: Readonly<Record<string, unknown>>
  readonly outputSchema: unknown
}

function ResultBody({ result, outputSchema }: BodyProps) {
  const { content, structuredContent, contents, messages, description } = result
  return (
    <div class="result-body">
      {typeof description === 'string' ? <p class="help">{description.slice(0, 2000)}</p> : null}
      {Array.isArray(content) && !repeats(content as Block[], structuredContent) ? (
        <ContentBlocks blocks={content as Block[]} />
      ) : null}
      {structuredContent === undefined ? null : (
        <div class="structured">
          <div>
            <h4>Structured result</h4>
            <JsonView value={structuredContent} label="Structured result" />
          </div>
          {outputSchema === undefined ? null : (
            <details open>
              <summary>Output schema</summary>
              <JsonView value={outputSchema} label="Output schema" />
            </details>
          )}
        </div>
      )}
      {Array.isArray(contents)
        ? (contents as Contents[]).map((each, index) => <ContentsView key={index} contents={each} />)
        : null}
      {Array.isArray(messages) ? <Messages messages={messages as PromptMessage[]} /> : null}
    </div>
  )
}

/** Whether the only text is the structured result again, as servers send it for older clients. */
function repeats(content: readonly Block[], structured: unknown): boolean {
  const [only, ...others] = content
  if (structured === undefined || others.length > 0 || only?.type !== 'text') return false
  try {
    return JSON.stringify(parseForDisplay(only.text ?? '')) === JSON.stringify(structured)
  } catch {
    return false
  }
}

interface PromptMessage {
  readonly role: string
  readonly content: Block | readonly Block[]
}

export function Messages({ messages }: { readonly messages: readonly PromptMessage[] }) {
  return (
    <ol class="messages">
      {messages.map(({ role, content }, index) => (
        <li key={index} class={`message ${role}`}>
          <span class="role">{role.slice(0, 20)}</span>
          <ContentBlocks blocks={Array.isArray(content) ? (content as Block[]) : [content as Block]} />
        </li>
      ))}
    </ol>
  )
}

function RunFrames({ eraRun: { era, state } }: { readonly eraRun: EraRun }) {
  const { from, to } = state.value
  const own = frames.value.filter((frame) => frame.era === era && frame.seq > from && frame.seq <= to)
  return (
    <details class="run-frames">
      <summary>
        Frames <span class="count">{own.length}</span>
      </summary>
      <FrameList frames={own} />
    </details>
  )
}
