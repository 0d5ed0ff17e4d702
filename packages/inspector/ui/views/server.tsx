import type { ComponentChildren } from 'preact'
import { EraLabel } from '../parts/era-name.js'
import { JsonView } from '../parts/json-view.js'
import { activeEras, connections } from '../state/connection.js'
import { report } from '../state/report.js'
import { page } from '../state/settings.js'

export function ServerView() {
  return (
    <div class="page">
      <h2>Server</h2>
      <dl class="facts">
        <dt>Endpoint</dt>
        <dd>
          <code>{page.target}</code>
        </dd>
      </dl>
      {activeEras.value.map((era) => (
        <EraFacts key={era} era={era} />
      ))}
      <NotServed />
      <Limits />
    </div>
  )
}

function EraFacts({ era }: { readonly era: 'modern' | 'legacy' }) {
  const { info, instructions, capabilities, state, error } = connections[era]
  return (
    <section class="card" aria-label={`${era} era`}>
      <h3>
        <EraLabel era={era} /> <span class="quiet">{state.value}</span>
      </h3>
      {error.value === '' ? null : <p class="error">{error.value}</p>}
      {info.value === null ? null : (
        <dl class="facts">
          <dt>Name</dt>
          <dd>
            {info.value.name.slice(0, 300)} {info.value.version.slice(0, 100)}
          </dd>
          {info.value.title === undefined ? null : (
            <>
              <dt>Title</dt>
              <dd>{info.value.title.slice(0, 300)}</dd>
            </>
          )}
          {instructions.value === '' ? null : (
            <>
              <dt>Instructions</dt>
              <dd class="description">{instructions.value.slice(0, 5000)}</dd>
            </>
          )}
        </dl>
      )}
      <details>
        <summary>Capabilities</summary>
        <JsonView value={capabilities.value} label="Capabilities" />
      </details>
    </section>
  )
}

/** Classes and files that are not served, with the reasons: where a missing tool is found. */
function NotServed() {
  const { value: current } = report
  if (current === null) return null
  const { hints, leftOut, modules } = current.notServed
  const { overlaps, slowSchemas, undescribed } = current.findings
  return (
    <section aria-label="Not served">
      <h3>Not served</h3>
      {hints.length + leftOut.length === 0 ? (
        <p class="quiet">Nothing was left out. Tools that the list hides from a caller are in the view Access.</p>
      ) : null}
      <Findings title="Classes that are probably meant to be served" items={hints} />
      <Findings title="Left out of the scan" items={leftOut.map(({ path, reason }) => `${path}: ${reason}`)} />
      <Findings title="Resources that overlap" items={overlaps} />
      <Findings title="Slow schemas" items={slowSchemas} />
      <Findings title="Tools without a description" items={undescribed} />
      {modules.length === 0 ? null : (
        <details>
          <summary>Modules scanned: {modules.length}</summary>
          <ul class="findings">
            {modules.map(({ file, controllers, skipped }) => (
              <li key={file}>
                {file}:{' '}
                {skipped ??
                  (controllers.length === 0 ? 'no exported class with a decorated method' : controllers.join(', '))}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function Findings({ title, items }: { readonly title: string; readonly items: readonly string[] }): ComponentChildren {
  if (items.length === 0) return null
  return (
    <>
      <h4>{title}</h4>
      <ul class="findings">
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </>
  )
}

function Limits() {
  const { value: current } = report
  if (current === null) return null
  return (
    <details class="limits">
      <summary>Limits</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Limit</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {current.limits.map(({ name, value, isDefault }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>
                {value} {isDefault ? null : <span class="tag">changed</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
