import { type Resource, type ResourceTemplateType, UriTemplate } from '@modelcontextprotocol/client'
import { useState } from 'preact/hooks'
import { CompletedInput } from '../forms/completed-input.js'
import { FeatureList, iconOf } from '../parts/feature-list.js'
import { PlanView } from '../parts/plan-view.js'
import { RunView } from '../parts/run-view.js'
import { activeEras, connections, primary } from '../state/connection.js'
import { open, route } from '../state/route.js'
import { run, runs } from '../state/runs.js'
import { Detail, InvalidNote, RunBar } from './detail.js'

export function ResourcesView() {
  const { resources, templates } = primary.value.lists.value
  const invalid = primary.value.invalid.value
  const { name } = route.value
  const resource = resources.find(({ uri }) => uri === name)
  const template = templates.find(({ uriTemplate }) => uriTemplate === name)
  const features = [
    ...resources.map((each) => ({
      key: each.uri,
      title: each.title ?? each.name,
      icon: iconOf(each),
      tag: invalid.has(`resources ${each.uri}`) ? 'invalid' : undefined,
    })),
    ...templates.map((each) => ({
      key: each.uriTemplate,
      title: each.title ?? each.name,
      tag: invalid.has(`resourceTemplates ${each.uriTemplate}`) ? 'invalid' : 'template',
    })),
  ]
  return (
    <div class="split" data-selected={name !== ''}>
      <FeatureList
        label="Resources"
        features={features}
        selected={name}
        onSelect={(key) => open('resources', key)}
        empty="The server lists no resources for this caller."
      />
      {template !== undefined ? (
        <TemplateDetail key={name} template={template} />
      ) : name !== '' ? (
        <ResourceDetail key={name} uri={name} resource={resource} />
      ) : (
        <AnyUri />
      )}
    </div>
  )
}

/** Reads a URI that no list has. */
function AnyUri() {
  const [uri, setUri] = useState('')
  return (
    <form
      class="nothing"
      onSubmit={(event) => {
        event.preventDefault()
        if (uri.trim() !== '') open('resources', uri.trim())
      }}
    >
      <p>Choose a resource from the list, or read one by its URI.</p>
      <div class="inline-form">
        <input
          type="text"
          aria-label="URI of a resource"
          placeholder="file:///notes.txt"
          value={uri}
          onInput={({ currentTarget }) => setUri(currentTarget.value)}
        />
        <button type="submit">Open</button>
      </div>
    </form>
  )
}

function ResourceDetail({ uri, resource }: { readonly uri: string; readonly resource: Resource | undefined }) {
  const key = `resource:${uri}`
  const current = runs.value.get(key)
  const listed = primary.value.invalid.value.get(`resources ${uri}`)
  const isSubscribed = primary.value.subscribed.value.includes(uri)
  const canSubscribe = primary.value.capabilities.value.resources?.subscribe === true
  const subscribe = (): void => {
    for (const era of activeEras.value) void connections[era].subscribe(uri, !isSubscribed)
  }
  return (
    <Detail
      view="resources"
      name={uri}
      title={resource?.title ?? resource?.name}
      description={resource?.description}
      tags={[resource?.mimeType ?? '', resource?.size === undefined ? '' : `${resource.size} bytes`].filter(
        (tag) => tag !== '',
      )}
      onSubmit={() => void run(key, { kind: 'resource', uri })}
    >
      {listed === undefined ? null : <InvalidNote problem={listed.problem} />}
      <RunBar label="Read" run={current} isValid={true}>
        {canSubscribe ? (
          <button type="button" aria-pressed={isSubscribed} onClick={subscribe}>
            {isSubscribed ? 'Unsubscribe' : 'Subscribe'}
          </button>
        ) : null}
      </RunBar>
      {current === undefined ? null : <RunView run={current} />}
      {resource === undefined ? null : <PlanView kind="resources" name={uri} />}
    </Detail>
  )
}

function TemplateDetail({ template }: { readonly template: ResourceTemplateType }) {
  const { uriTemplate } = template
  const [values, setValues] = useState<Record<string, string>>({})
  const { names, expand } = readTemplate(uriTemplate)
  const uri = expand(values)
  const listed = primary.value.invalid.value.get(`resourceTemplates ${uriTemplate}`)
  const key = `template:${uriTemplate}`
  const current = runs.value.get(key)
  return (
    <Detail
      view="resources"
      name={uriTemplate}
      title={template.title ?? template.name}
      description={template.description}
      tags={['template', ...(template.mimeType === undefined ? [] : [template.mimeType])]}
      onSubmit={() => void run(key, { kind: 'resource', uri })}
    >
      {listed === undefined ? null : <InvalidNote problem={listed.problem} />}
      <section class="arguments" aria-label="Variables">
        <h3>Variables</h3>
        <div class="fields">
          {names.map((name) => (
            <CompletedInput
              key={name}
              name={name}
              label={name}
              help=""
              isRequired={false}
              value={Object.hasOwn(values, name) ? (values[name] ?? '') : ''}
              reference={{ type: 'ref/resource', uri: uriTemplate }}
              others={values}
              onChange={(value) => setValues({ ...values, [name]: value })}
            />
          ))}
        </div>
        <p class="quiet">
          Reads <code class="uri">{uri}</code>
        </p>
      </section>
      <RunBar label="Read" run={current} isValid={true} />
      {current === undefined ? null : <RunView run={current} />}
      <PlanView kind="resources" name={uriTemplate} />
    </Detail>
  )
}

function readTemplate(text: string): { names: readonly string[]; expand: (values: Record<string, string>) => string } {
  try {
    const template = new UriTemplate(text)
    return { names: template.variableNames, expand: (values) => template.expand(values) }
  } catch {
    return { names: [], expand: () => text }
  }
}
