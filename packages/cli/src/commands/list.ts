import { defineCommand } from 'citty'
import { type Connection, connect } from '../client/connect.js'
import { connectionFlags, isSet, readCommandLine, rejectRest } from '../client/flags.js'
import { readTools } from '../client/read-tools.js'
import { propertiesOf, requiredOf, type Schema } from '../client/schema-types.js'
import { chooseTarget, isTarget } from '../client/target.js'
import { reportErrors, usageError } from '../command-error.js'
import { formatTable, json, note, oneLine, print } from '../terminal.js'
import { withExamples } from '../usage.js'

const args = {
  target: { type: 'positional', required: false, description: 'URL or entry file (default: found in this folder)' },
  kind: { type: 'positional', required: false, description: 'tools (default), prompts, resources, templates or all' },
  ...connectionFlags,
} as const

export const list = withExamples(
  defineCommand({
    meta: { name: 'list', description: 'List the features of a server' },
    args,
    run: ({ rawArgs }) => reportErrors(() => listFeatures(rawArgs)),
  }),
  [
    ['toolwright list', 'the tools of the project in this folder'],
    ['toolwright list http://127.0.0.1:3000/mcp all', 'all features of a running server'],
    ['toolwright list --json -- node dist/main.js --stdio', 'the tools of a stdio server, as JSON'],
  ],
)

interface Listed {
  readonly title: string
  readonly member: string
  readonly items: readonly object[]
  readonly rows: readonly (readonly string[])[]
}

const kinds = {
  tools: { capability: 'tools', load: listTools },
  prompts: { capability: 'prompts', load: listPrompts },
  resources: { capability: 'resources', load: listResources },
  templates: { capability: 'resources', load: listTemplates },
} as const

type Kind = keyof typeof kinds

async function listFeatures(rawArgs: readonly string[]): Promise<void> {
  const line = readCommandLine(rawArgs, args)
  rejectRest(line, args)
  const kindNames = [...Object.keys(kinds), 'all']
  const kind = line.positionals.find((each) => kindNames.includes(each)) ?? 'tools'
  const [given, ...others] = line.positionals.filter((each) => !kindNames.includes(each))
  const unexpected = given !== undefined && !isTarget(given) ? given : others[0]
  if (unexpected !== undefined) {
    throw usageError(
      `Unexpected argument '${unexpected}'. Give a URL or an entry file, and one of ${kindNames.join(', ')}.`,
    )
  }
  const connection = await connect(chooseTarget(given, line), line.flags)
  try {
    const { capabilities } = connection.client
    const wanted = (kind === 'all' ? Object.keys(kinds) : [kind]) as Kind[]
    const offered = wanted.filter((each) => capabilities[kinds[each].capability] !== undefined)
    const lists = await Promise.all(offered.map((each) => kinds[each].load(connection)))
    await print(isSet(line.flags, 'json') ? asJson(lists) : asText(lists, connection))
    if (lists.every(({ items }) => items.length === 0) && !isSet(line.flags, 'json')) {
      const sentence = `The server lists no ${kind === 'all' ? 'features' : kind}.`
      note([sentence, ...connection.reasons()].join('\n'))
    }
  } catch (error) {
    throw await connection.explain(error)
  } finally {
    await connection.close()
  }
}

function asJson(lists: readonly Listed[]): string {
  return `${json(Object.fromEntries(lists.map(({ member, items }) => [member, items])))}\n`
}

function asText(lists: readonly Listed[], { client }: Connection): string {
  const { name = 'server', version = '' } = client.serverInfo ?? {}
  const filled = lists.filter(({ items }) => items.length > 0)
  const tables = filled.map(({ title, items, rows }) => {
    return [`${title}: ${items.length}`, ...formatTable(rows, process.stdout)].join('\n')
  })
  const heading = `${oneLine(name)} ${oneLine(version)}, revision ${client.protocolVersion}`
  return `${[heading, ...tables].join('\n\n')}\n`
}

async function listTools(connection: Connection): Promise<Listed> {
  const tools = await readTools(connection)
  const rows = tools.map((tool) => [
    tool.name,
    describeArguments(tool.inputSchema),
    tool.description ?? tool.title ?? '',
  ])
  return { title: 'Tools', member: 'tools', items: tools, rows: table(['tool', 'arguments', 'description'], rows) }
}

async function listPrompts({ client }: Connection): Promise<Listed> {
  const prompts = await client.allPrompts()
  const rows = prompts.map(({ name, title, description, arguments: given = [] }) => [
    name,
    given.map((each) => (each.required === true ? each.name : `[${each.name}]`)).join(' '),
    description ?? title ?? '',
  ])
  return {
    title: 'Prompts',
    member: 'prompts',
    items: prompts,
    rows: table(['prompt', 'arguments', 'description'], rows),
  }
}

async function listResources({ client }: Connection): Promise<Listed> {
  const resources = await client.allResources()
  const rows = resources.map(({ uri, mimeType = '', description, title, name }) => [
    uri,
    mimeType,
    description ?? title ?? name,
  ])
  return {
    title: 'Resources',
    member: 'resources',
    items: resources,
    rows: table(['resource', 'type', 'description'], rows),
  }
}

async function listTemplates({ client }: Connection): Promise<Listed> {
  const resourceTemplates = await client.allResourceTemplates()
  const rows = resourceTemplates.map(({ uriTemplate, mimeType = '', description, title, name }) => [
    uriTemplate,
    mimeType,
    description ?? title ?? name,
  ])
  const heading = ['template', 'type', 'description']
  return { title: 'Templates', member: 'resourceTemplates', items: resourceTemplates, rows: table(heading, rows) }
}

function table(heading: readonly string[], rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [heading, ...rows.map((row) => row.map(oneLine))]
}

function describeArguments(schema: Schema): string {
  const required = requiredOf(schema, schema)
  const names = [...propertiesOf(schema, schema).keys()]
  return names.map((name) => (required.includes(name) ? name : `[${name}]`)).join(' ')
}
