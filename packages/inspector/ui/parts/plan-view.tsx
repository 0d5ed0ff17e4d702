// What the server decided about a feature at boot, and who may use it.
import { accessOf, type Outcome, planOf, report } from '../state/report.js'

interface Props {
  readonly kind: 'tools' | 'prompts' | 'resources'
  readonly name: string
}

const kinds = { tools: 'tool', prompts: 'prompt', resources: 'resource' } as const

export function PlanView({ kind, name }: Props) {
  if (report.value === null) return null
  const plan = planOf(kind, name)
  const access = accessOf(kinds[kind], name)
  return (
    <section class="plan" aria-label="Plan">
      <h3 title="The report of the server at its start">Plan</h3>
      <p class="quiet">How the server runs this feature, as decided at its start.</p>
      {plan === undefined ? (
        <p class="quiet">The server has no plan of this feature: its list is newer than the report.</p>
      ) : (
        <dl class="facts">
          <dt>Handler</dt>
          <dd>
            <code>{plan.from}</code>
          </dd>
          <dt>Parameters</dt>
          <dd>
            {plan.parameters.length === 0 ? 'none' : plan.parameters.map((each) => <code key={each}>{each}</code>)}
          </dd>
          {plan.input === undefined ? null : (
            <>
              <dt>Input</dt>
              <dd>{plan.input}</dd>
            </>
          )}
          {plan.output === undefined ? null : (
            <>
              <dt>Output</dt>
              <dd>{plan.output}</dd>
            </>
          )}
          {access === undefined ? null : (
            <>
              <dt>Access</dt>
              <dd class="outcomes">
                {Object.entries(access.access).map(([caller, outcome]) => (
                  <span key={caller} class="caller">
                    {caller} <OutcomeTag outcome={outcome} />
                  </span>
                ))}
              </dd>
            </>
          )}
        </dl>
      )}
    </section>
  )
}

const meanings: Readonly<Record<Outcome, string>> = {
  callable: 'The caller may use it.',
  listed: 'The caller sees it. A policy decides on each call.',
  'needs step-up': 'The caller sees it, but needs a token with more scopes.',
  hidden: 'The caller neither sees nor may use it.',
}

const marks: Readonly<Record<Outcome, string>> = { callable: '✓', listed: '◐', 'needs step-up': '↑', hidden: '–' }

export function OutcomeTag({ outcome }: { readonly outcome: Outcome }) {
  return (
    <span class={`outcome outcome-${outcome.replaceAll(' ', '-')}`} title={meanings[outcome]}>
      <span aria-hidden="true">{marks[outcome]}</span> {outcome}
    </span>
  )
}
