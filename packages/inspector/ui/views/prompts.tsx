import type { Prompt } from '@modelcontextprotocol/client'
import { useState } from 'preact/hooks'
import { CompletedInput } from '../forms/completed-input.js'
import { FeatureList, iconOf } from '../parts/feature-list.js'
import { Guard } from '../parts/guard.js'
import { PlanView } from '../parts/plan-view.js'
import { RunView } from '../parts/run-view.js'
import { primary } from '../state/connection.js'
import { open, route } from '../state/route.js'
import { run, runs } from '../state/runs.js'
import { Detail, InvalidNote, NothingSelected, RunBar } from './detail.js'

export function PromptsView() {
  const { prompts } = primary.value.lists.value
  const invalid = primary.value.invalid.value
  const { name } = route.value
  const prompt = prompts.find((each) => each.name === name)
  return (
    <div class="split" data-selected={prompt !== undefined}>
      <FeatureList
        label="Prompts"
        features={prompts.map((each) => ({
          key: each.name,
          title: each.title,
          description: each.description,
          icon: iconOf(each),
          tag: invalid.has(`prompts ${each.name}`) ? 'invalid' : undefined,
        }))}
        selected={name}
        onSelect={(key) => open('prompts', key)}
        empty="The server lists no prompts for this caller."
      />
      {prompt === undefined ? (
        <NothingSelected what="prompt" name={name} />
      ) : (
        <Guard key={name} what="prompt">
          <PromptDetail prompt={prompt} />
        </Guard>
      )}
    </div>
  )
}

function valueOf(args: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(args, name) ? (args[name] ?? '') : ''
}

function PromptDetail({ prompt }: { readonly prompt: Prompt }) {
  const [args, setArgs] = useState<Record<string, string>>({})
  const listed = primary.value.invalid.value.get(`prompts ${prompt.name}`)
  const key = `prompt:${prompt.name}`
  const current = runs.value.get(key)
  const get = (): void => {
    // A changed prompt may have other arguments.
    const filled = Object.fromEntries(
      (prompt.arguments ?? []).map(({ name }) => [name, valueOf(args, name)]).filter(([, value]) => value !== ''),
    )
    run(key, { kind: 'prompt', name: prompt.name, args: filled })
  }
  return (
    <Detail view="prompts" name={prompt.name} title={prompt.title} description={prompt.description} onSubmit={get}>
      {listed === undefined ? null : <InvalidNote problem={listed.problem} />}
      <section class="arguments" aria-label="Arguments">
        <div class="section-head">
          <h3>Arguments</h3>
        </div>
        {(prompt.arguments ?? []).length === 0 ? <p class="quiet">No arguments.</p> : null}
        <div class="fields">
          {(prompt.arguments ?? []).map(({ name, description, required, ...others }) => (
            <CompletedInput
              key={name}
              name={name}
              label={'title' in others ? String(others.title) : name}
              help={description ?? ''}
              isRequired={required === true}
              value={valueOf(args, name)}
              reference={{ type: 'ref/prompt', name: prompt.name }}
              others={args}
              onChange={(value) => setArgs({ ...args, [name]: value })}
            />
          ))}
        </div>
      </section>
      <RunBar label="Get" run={current} isValid={true} />
      {current === undefined ? null : <RunView run={current} />}
      <PlanView kind="prompts" name={prompt.name} />
    </Detail>
  )
}
