import type { Tool } from '@modelcontextprotocol/client'
import { useState } from 'preact/hooks'
import { ArgumentsEditor, readArguments, startOf } from '../forms/arguments-editor.js'
import { carryOver } from '../forms/draft.js'
import { isObject, type Schema, shapeOf } from '../forms/schema.js'
import { AppFrame } from '../parts/app-frame.js'
import { FeatureList, iconOf } from '../parts/feature-list.js'
import { Guard } from '../parts/guard.js'
import { JsonView } from '../parts/json-view.js'
import { PlanView } from '../parts/plan-view.js'
import { RunView } from '../parts/run-view.js'
import { estimateTokens } from '../parts/tokens.js'
import { connections, primary } from '../state/connection.js'
import { report } from '../state/report.js'
import { open, route } from '../state/route.js'
import { type EraRun, run, runs } from '../state/runs.js'
import { acceptsTasks, logLevel } from '../state/settings.js'
import { Detail, InvalidNote, NothingSelected, RunBar } from './detail.js'

export function ToolsView() {
  const { tools } = primary.value.lists.value
  const invalid = primary.value.invalid.value
  const { name } = route.value
  const tool = tools.find((each) => each.name === name)
  const tokens = tools.reduce((sum, each) => sum + estimateTokens(each), 0)
  return (
    <div class="split" data-selected={tool !== undefined}>
      <FeatureList
        label="Tools"
        features={tools.map((each) => ({
          key: each.name,
          title: each.title ?? each.annotations?.title,
          description: each.description,
          icon: iconOf(each),
          tag: invalid.has(`tools ${each.name}`) ? 'invalid' : isForAppOnly(each) ? 'app' : undefined,
        }))}
        selected={name}
        onSelect={(key) => open('tools', key)}
        empty="The server lists no tools for this caller."
      >
        {tools.length === 0 ? null : (
          <p
            class="quiet pad tokens"
            title="Names, descriptions and input schemas as JSON, 4 characters a token. Models differ."
          >
            The list costs a model about <strong>{tokens.toLocaleString('en-US')}</strong> tokens (estimate).
          </p>
        )}
        <HiddenTools listed={tools} />
      </FeatureList>
      {tool === undefined ? (
        <NothingSelected what="tool" name={name} />
      ) : (
        <Guard key={tool.name} what="tool">
          <ToolDetail tool={tool} />
        </Guard>
      )}
    </div>
  )
}

/** Tools that the server has, and this caller does not see. */
function HiddenTools({ listed }: { readonly listed: readonly Tool[] }) {
  const rows = report.value?.access.rows.filter(
    ({ kind, name }) => kind === 'tool' && !listed.some((tool) => tool.name === name),
  )
  if (rows === undefined || rows.length === 0) return null
  return (
    <details class="hidden-features pad">
      <summary>Hidden from this caller: {rows.length}</summary>
      <ul>
        {rows.map(({ name, access }) => {
          const admitted = Object.entries(access).filter(([, outcome]) => outcome !== 'hidden')
          return (
            <li key={name}>
              <code>{name}</code>
              <span class="quiet">
                {admitted.length === 0
                  ? 'No caller may use it.'
                  : `For ${admitted
                      .slice(0, 3)
                      .map(([caller]) => caller)
                      .join(', ')}${admitted.length > 3 ? ' and others' : ''}.`}
              </span>
            </li>
          )
        })}
      </ul>
    </details>
  )
}

function isForAppOnly(tool: Tool): boolean {
  const { visibility } = uiOf(tool)
  return Array.isArray(visibility) && !visibility.includes('model')
}

function uiOf({ _meta }: Tool): { readonly resourceUri?: unknown; readonly visibility?: unknown } {
  return isObject(_meta?.['ui']) ? _meta['ui'] : {}
}

const hints = [
  ['readOnlyHint', 'read-only', true],
  ['destructiveHint', 'destructive', true],
  ['idempotentHint', 'idempotent', true],
  ['openWorldHint', 'open world', true],
] as const

function ToolDetail({ tool }: { readonly tool: Tool }) {
  const listed = primary.value.invalid.value.get(`tools ${tool.name}`)
  const { edited, setEdited, shape } = useEdited(schemaOf(listed?.item) ?? tool.inputSchema)
  const reading = readArguments(shape, edited)
  const args = reading.value as Record<string, unknown>
  const key = `tool:${tool.name}`
  const current = runs.value.get(key)
  const { resourceUri } = uiOf(tool)
  const call = (): void => void run(key, { kind: 'tool', name: tool.name, args })
  const tags = hints.filter(([hint, , value]) => tool.annotations?.[hint] === value).map(([, text]) => text)
  return (
    <Detail
      view="tools"
      name={tool.name}
      title={tool.title ?? tool.annotations?.title}
      description={tool.description}
      tags={[
        ...tags,
        ...(typeof resourceUri === 'string' ? ['app'] : []),
        ...(isForAppOnly(tool) ? ['for apps only'] : []),
      ]}
      aside={`about ${estimateTokens(tool).toLocaleString('en-US')} tokens`}
      onSubmit={call}
    >
      {listed === undefined ? null : <InvalidNote problem={listed.problem} />}
      <ArgumentsEditor shape={shape} edited={edited} reading={reading} onChange={setEdited} />
      <RunBar label="Call" run={current} isValid={reading.problem === ''}>
        <label class="inline">
          Log level
          <select value={logLevel.value} onChange={({ currentTarget }) => (logLevel.value = currentTarget.value)}>
            {['off', 'debug', 'info', 'notice', 'warning', 'error'].map((level) => (
              <option key={level}>{level}</option>
            ))}
          </select>
        </label>
        {connections.modern.hasTasks ? (
          <label class="inline">
            <input
              type="checkbox"
              checked={acceptsTasks.value === 'yes'}
              onChange={({ currentTarget }) => (acceptsTasks.value = currentTarget.checked ? 'yes' : 'no')}
            />
            Accept a task
          </label>
        ) : null}
      </RunBar>
      {current === undefined ? null : (
        <RunView
          run={current}
          outputSchema={tool.outputSchema}
          extra={(eraRun) =>
            typeof resourceUri === 'string' ? <RunApp eraRun={eraRun} uri={resourceUri} args={args} /> : null
          }
        />
      )}
      <PlanView kind="tools" name={tool.name} />
      <details class="schemas">
        <summary>Input schema</summary>
        <JsonView value={shape.root} label="Input schema" />
      </details>
      {tool.outputSchema === undefined ? null : (
        <details class="schemas">
          <summary>Output schema</summary>
          <JsonView value={tool.outputSchema} label="Output schema" />
        </details>
      )}
      <details class="schemas">
        <summary>As listed</summary>
        <JsonView value={listed?.item ?? tool} label="As listed" />
      </details>
    </Detail>
  )
}

/** The arguments of a tool. A changed list can have another schema under the same name: only fitting values are kept. */
function useEdited(schema: Schema) {
  const schemaText = JSON.stringify(schema)
  const [state, setState] = useState(() => {
    const shape = shapeOf(schema, schema)
    return { schemaText, shape, edited: startOf(shape) }
  })
  const setEdited = (edited: typeof state.edited): void => setState({ ...state, edited })
  if (state.schemaText === schemaText) return { ...state, setEdited }
  const shape = shapeOf(schema, schema)
  const { value } = readArguments(state.shape, state.edited)
  const { draft } = startOf(shape, carryOver(shape, value))
  const changed = { schemaText, shape, edited: { draft, raw: state.edited.raw } }
  setState(changed)
  return { ...changed, setEdited }
}

function schemaOf(listed: unknown): Schema | undefined {
  return isObject(listed) && isObject(listed['inputSchema']) ? listed['inputSchema'] : undefined
}

interface RunAppProps {
  readonly eraRun: EraRun
  readonly uri: string
  readonly args: unknown
}

function RunApp({ eraRun, uri, args }: RunAppProps) {
  const { status, result } = eraRun.state.value
  if (status !== 'done' || result === null) return null
  return <AppFrame connection={connections[eraRun.era]} uri={uri} args={args} result={result} />
}
