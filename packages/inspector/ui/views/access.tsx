import { OutcomeTag } from '../parts/plan-view.js'
import { report } from '../state/report.js'

export function AccessView() {
  const { value: current } = report
  if (current === null) {
    return (
      <div class="page">
        <h2>Access</h2>
        <p class="empty">This page has no report of the server, so it cannot show who may use which feature.</p>
      </div>
    )
  }
  const { callers, rows } = current.access
  return (
    <div class="page wide">
      <h2>Access</h2>
      <p class="quiet">
        Who may use which feature:{' '}
        {rows.some(({ access }) => access['anonymous'] !== 'hidden') ? 'some features are' : 'nothing is'} open to
        anonymous callers. “Listed” means that a policy decides on each call; “needs step-up”, that a token with more
        scopes is needed.
      </p>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Authorization matrix">
        <table class="matrix">
          <caption class="visually-hidden">Authorization matrix</caption>
          <thead>
            <tr>
              <th scope="col">Feature</th>
              {callers.map(({ name }) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ kind, name, access }) => (
              <tr key={`${kind} ${name}`} data-feature={name}>
                <th scope="row">
                  <code>{name}</code> <span class="quiet">{kind}</span>
                </th>
                {callers.map((caller) => (
                  <td key={caller.name}>
                    <OutcomeTag outcome={access[caller.name] ?? 'hidden'} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
