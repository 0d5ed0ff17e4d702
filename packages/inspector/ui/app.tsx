import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import logo from '../../../docs/public/logo.svg'
import { eraLabels } from './parts/era-name.js'
import { Guard } from './parts/guard.js'
import { QuestionDialog } from './parts/question-dialog.js'
import { SettingsDialog } from './parts/settings-dialog.js'
import { activeEras, connections, primary, reconnect } from './state/connection.js'
import { unread } from './state/notifications.js'
import { loadReport } from './state/report.js'
import { open, route, type ViewName } from './state/route.js'
import { type Mode, mode, page, type Theme, theme } from './state/settings.js'
import { tasks } from './state/tasks.js'
import { frames } from './state/wire.js'
import { AccessView } from './views/access.js'
import { NotificationsView } from './views/notifications.js'
import { PromptsView } from './views/prompts.js'
import { ResourcesView } from './views/resources.js'
import { ServerView } from './views/server.js'
import { TasksView } from './views/tasks.js'
import { ToolsView } from './views/tools.js'
import { WireView } from './views/wire.js'

const views: Readonly<Record<ViewName, () => ComponentChildren>> = {
  tools: ToolsView,
  prompts: PromptsView,
  resources: ResourcesView,
  tasks: TasksView,
  notifications: NotificationsView,
  wire: WireView,
  access: AccessView,
  server: ServerView,
}

export function App() {
  const [settingsOpen, setSettingsOpen] = useState(false)
  const { view } = route.value
  const View = views[view]
  const { lists } = primary.value
  // The report follows the lists: both change with the catalog.
  useEffect(() => void loadReport(), [lists.value])
  return (
    <>
      <a class="skip" href="#main">
        Skip to the view
      </a>
      <header class="top">
        <Brand />
        <Status />
        <span class="spacer" />
        <Segments
          label="Era"
          value={mode.value}
          choices={[
            ['modern', 'Modern', 'The newest revision of the protocol'],
            ['legacy', 'Legacy', 'The revisions that begin with a handshake'],
            ['both', 'Both', 'Each call in both eras, side by side'],
          ]}
          onChange={(chosen: Mode) => (mode.value = chosen)}
        />
        <button
          type="button"
          class="settings-button"
          title="Token, headers and roots"
          onClick={() => setSettingsOpen(true)}
        >
          Connection
        </button>
        <Segments
          label="Theme"
          value={theme.value}
          choices={[
            ['light', '☀', 'Light'],
            ['auto', '◐', 'As the system'],
            ['dark', '☾', 'Dark'],
          ]}
          onChange={(chosen: Theme) => (theme.value = chosen)}
        />
      </header>
      <div class="body">
        <Rail view={view} />
        <main id="main" tabIndex={-1}>
          <Failure onSettings={() => setSettingsOpen(true)} />
          <Guard key={view} what="view">
            <View />
          </Guard>
        </main>
      </div>
      <QuestionDialog />
      {settingsOpen ? <SettingsDialog onClose={() => setSettingsOpen(false)} /> : null}
    </>
  )
}

function Brand() {
  const { info } = primary.value
  const name = info.value?.title ?? info.value?.name ?? 'MCP server'
  useEffect(() => {
    document.querySelector('link[rel=icon]')?.setAttribute('href', logo)
  }, [])
  useEffect(() => {
    document.title = `${name.slice(0, 80)} · Inspector`
  }, [name])
  return (
    <div class="brand">
      <img src={logo} alt="" width="20" height="20" />
      <h1>{name.slice(0, 80)}</h1>
      <span class="quiet">{info.value?.version.slice(0, 40)}</span>
    </div>
  )
}

function Status() {
  return (
    <div class="connection" role="status" aria-label="Connection">
      {activeEras.value.map((era) => {
        const { state, revision } = connections[era]
        return (
          <span key={era} class={`pill ${state.value}`} data-era={era} data-state={state.value}>
            <span class="dot" aria-hidden="true" />
            {state.value === 'ready' ? revision.value : `${eraLabels[era]}: ${state.value}`}
          </span>
        )
      })}
    </div>
  )
}

function Failure({ onSettings }: { readonly onSettings: () => void }) {
  const failed = activeEras.value.map((era) => connections[era]).filter(({ state }) => state.value === 'failed')
  if (failed.length === 0) return null
  return (
    <div class="banner" role="alert">
      {failed.map(({ era, error }) => (
        <p key={era}>
          <strong>{eraLabels[era]}</strong>: {error.value.slice(0, 1000)}
        </p>
      ))}
      <span class="banner-actions">
        <button type="button" class="small" onClick={onSettings}>
          Open Connection
        </button>
        <button type="button" class="small" onClick={reconnect}>
          Connect again
        </button>
      </span>
    </div>
  )
}

interface SegmentsProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly choices: readonly (readonly [value: Value, text: string, title: string])[]
  readonly onChange: (value: Value) => void
}

function Segments<Value extends string>({ label, value, choices, onChange }: SegmentsProps<Value>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {choices.map(([choice, text, title]) => (
        <button
          key={choice}
          type="button"
          title={title}
          aria-label={text.length === 1 ? title : undefined}
          aria-pressed={choice === value}
          data-choice={choice}
          onClick={() => onChange(choice)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}

function Rail({ view }: { readonly view: ViewName }) {
  const { tools, prompts, resources, templates } = primary.value.lists.value
  const items: readonly (readonly [ViewName, string, number | null, string])[] = [
    ['tools', 'Tools', tools.length, 'Functions that a model can call'],
    ['prompts', 'Prompts', prompts.length, 'Messages that a user can insert'],
    ['resources', 'Resources', resources.length + templates.length, 'Data that a client can read'],
    ['tasks', 'Tasks', tasks.value.length, 'Calls that go on in the background'],
    ['notifications', 'Notifications', unread.value, 'Changes and log messages from the server'],
    ['wire', 'Wire', frames.value.length, 'All messages between this page and the server'],
    ['access', 'Access', null, 'Which caller may use which feature'],
    ['server', 'Server', null, 'Name, instructions and capabilities of the server'],
  ]
  return (
    <nav class="rail" aria-label="Views">
      {items.map(([name, label, count, title]) => (
        <button
          key={name}
          title={title}
          type="button"
          aria-current={name === view ? 'page' : undefined}
          data-view={name}
          onClick={() => open(name)}
        >
          {label}
          {count === null || count === 0 ? null : <span class="count">{count}</span>}
        </button>
      ))}
      <p class="rail-foot quiet">
        <code>{page.target}</code>
      </p>
    </nav>
  )
}
