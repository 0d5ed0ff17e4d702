import type { McpServer, ServerOptions } from '@toolwright/core'
import { image, McpContext, result, ToolError, Type, text } from '@toolwright/core'

/** Adds features of each kind to a server. */
export function addWeather({ catalog, changes }: McpServer): void {
  catalog.addTool({
    name: 'forecast',
    title: 'Forecast',
    description: 'Forecasts the weather of a city',
    input: Type.Object({ city: Type.String() }),
    output: Type.Object({ city: Type.String(), celsius: Type.Number() }),
    annotations: { readOnlyHint: true },
    icons: [{ src: 'https://weather.example/icon.png' }],
    _meta: { 'example/unit': 'celsius' },
    handler: ({ city }) => {
      if (city === 'Atlantis') throw new ToolError('There is no weather in Atlantis.')
      return { city, celsius: 21 }
    },
  })
  catalog.addTool({
    name: 'steps',
    handler: async (_, context) => {
      context.progress(1, 3, 'first')
      context.progress(2, 3, 'second')
      return 'done'
    },
  })
  catalog.addTool({
    name: 'echo_meta',
    handler: (_, { meta }) => result({ content: [text(JSON.stringify(meta))], _meta: { 'example/back': 1 } }),
  })
  catalog.addTool({
    name: 'broken_picture',
    handler: () => result({ content: [image(Buffer.from('x'), 'image/png')], isError: true }),
  })
  catalog.addTool({
    name: 'wait',
    handler: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        waiting.count++
        signal.addEventListener('abort', () => {
          waiting.count--
          reject(signal.reason as Error)
        })
      }),
  })
  catalog.addTool({
    name: 'log',
    handler: (_, context) => {
      context.sendLogMessage('debug', 'too small')
      context.sendLogMessage('warning', { wind: 'strong' }, 'weather')
      return 'logged'
    },
  })
  catalog.addTool({
    name: 'ask_name',
    handler: async (_, context) => {
      const answer = await context.elicit({
        message: 'What is your name?',
        schema: Type.Object({ name: Type.String() }),
      })
      return answer.action === 'accept' ? `Hello ${answer.content.name}` : `You said ${answer.action}`
    },
  })
  catalog.addTool({
    name: 'link',
    handler: () =>
      result({
        content: [
          { type: 'resource_link', uri: 'notes:today', name: 'today' },
          { type: 'resource', resource: { uri: 'notes://2026/1', text: 'sunny' } },
          { type: 'resource_link', uri: 'https://weather.example/today', name: 'page' },
        ],
      }),
  })
  catalog.addResource({ uri: 'ui://page', name: 'page', handler: () => '<p>forecast</p>' })
  catalog.addTool({ name: 'show', ui: { resourceUri: 'ui://page' }, handler: () => 'shown' })
  catalog.addResource({
    uri: 'notes:today',
    name: 'today',
    description: 'The note of today',
    mimeType: 'text/plain',
    annotations: { priority: 0.5 },
    handler: () => notes.today,
  })
  catalog.addResource({
    uri: 'notes://{year}/{+path}',
    name: 'note',
    handler: ({ year, path }) => `${year}: ${path}`,
  })
  catalog.addResource({
    uri: 'search://notes{?q}',
    name: 'search',
    handler: ({ q }) => `found ${q}`,
  })
  catalog.addPrompt({
    name: 'plan',
    title: 'Plan a trip',
    input: Type.Object({ city: Type.String({ description: 'Where to' }), days: Type.Optional(Type.String()) }),
    handler: ({ city, days = '1' }) => `Plan ${days} days in ${city}`,
  })
  catalog.addCompletion({
    prompt: 'plan',
    argument: 'city',
    handler: ({ value }) => ['Lisbon', 'London'].filter((city) => city.startsWith(value)),
  })
  catalog.addCompletion({
    resource: 'notes://{year}/{+path}',
    argument: 'year',
    handler: ({ value }) => ['2025', '2026'].filter((year) => year.startsWith(value)),
  })
  notes.changed = () => changes.resourceUpdated('notes:today')
}

export const notes = { today: 'bring an umbrella', changed: (): void => undefined }

/** Number of calls of the tool `wait` in progress. */
export const waiting = { count: 0 }

export const weather: Partial<ServerOptions> = { onReady: addWeather, instructions: 'Ask for the weather.' }

export type Context = McpContext
