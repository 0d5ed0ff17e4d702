import { EraLabel } from '../parts/era-name.js'
import { JsonView } from '../parts/json-view.js'
import { open } from '../state/route.js'
import { tasks } from '../state/tasks.js'

const running = ['working', 'input_required']

export function TasksView() {
  return (
    <div class="page">
      <h2>Tasks</h2>
      <p class="quiet">
        Tasks that calls of this page have started. A tool runs as a task if the server allows it and “Accept a task” is
        on.
      </p>
      {tasks.value.length === 0 ? <p class="empty">No tasks yet.</p> : null}
      <ul class="cards">
        {tasks.value.map(({ value: task }) => (
          <li key={task.taskId} class="card" data-task={task.status}>
            <div class="card-head">
              <button type="button" class="link" onClick={() => open('tools', task.name)}>
                <code>{task.name}</code>
              </button>
              <EraLabel era={task.era} />
              <span class={`status ${task.status}`} role="status">
                {task.status}
              </span>
              {running.includes(task.status) ? (
                <button type="button" class="small" onClick={() => task.cancel()}>
                  Cancel task
                </button>
              ) : null}
            </div>
            <p class="quiet">
              <code>{task.taskId}</code> {task.statusMessage}
            </p>
            <ol class="history" aria-label="States">
              {task.history.map(({ status, at }, index) => (
                <li key={index}>
                  {status} <time class="quiet">{at.toLocaleTimeString()}</time>
                </li>
              ))}
            </ol>
            {task.error === '' ? null : <p class="error">{task.error}</p>}
            {task.result === null ? null : (
              <details>
                <summary>Result</summary>
                <JsonView value={task.result} label="Result" />
              </details>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
