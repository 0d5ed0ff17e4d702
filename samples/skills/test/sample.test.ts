import { createHash } from 'node:crypto'
import type { Client } from '@modelcontextprotocol/client'
import { describeProgram } from '../../../test/support/program-behaviour.js'
import { type ConnectedSample, call, connectSample, programLanes } from '../../../test/support/sample.js'

describeProgram('skills', ['list_changes'])

/** Files by skill, as an agent loads them. */
const files = {
  'release-notes': ['SKILL.md', 'references/style.md', 'templates/notes.md'],
  'version-number': ['SKILL.md'],
}

const uris = Object.entries(files).flatMap(([skill, paths]) => paths.map((path) => `skill://${skill}/${path}`))

async function read(client: Client, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri })
  expect(contents).toEqual([{ uri, mimeType: 'text/markdown', text: expect.any(String) }])
  return (contents[0] as { text: string }).text
}

describe.each(programLanes)('skills over $lane, $era', (lane) => {
  let sample: ConnectedSample
  let client: Client

  beforeAll(async () => {
    sample = await connectSample('skills', lane)
    client = sample.client
  })

  afterAll(() => sample.close())

  it('serves the files of its skills as resources', async () => {
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(uris)
    expect(await read(client, 'skill://release-notes/SKILL.md')).toContain('Call the tool `list_changes`.')
  })

  it('has the tool that the skill mentions', async () => {
    const { structuredContent } = (await call(client, 'list_changes')) as { structuredContent: unknown }
    expect(structuredContent).toMatchObject({ lastVersion: '2.3.1', changes: { length: 3 } })
  })
})

/** Accepts any result: the official client has no schemas for skills. */
const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const

// oxlint-disable-next-line typescript/no-explicit-any
type Result = any

describe.each(programLanes.filter(({ era }) => era === 'modern'))('the skills extension over $lane', (lane) => {
  let sample: ConnectedSample

  beforeAll(async () => {
    sample = await connectSample('skills', lane)
  })

  afterAll(() => sample.close())

  const ask = (method: string, params: Record<string, unknown> = {}): Promise<Result> =>
    sample.client.request({ method, params }, anything)

  it('lists the skills, with digests that match the files', async () => {
    expect(sample.client.getServerCapabilities()?.extensions).toEqual({
      'io.modelcontextprotocol/skills': { directoryRead: true },
    })
    const { skills } = await ask('skills/list')
    expect(skills.map(({ frontmatter }: Result) => frontmatter.name)).toEqual(Object.keys(files))
    for (const { uri, digest, size } of skills.flatMap(({ resources }: Result) => resources)) {
      // oxlint-disable-next-line no-await-in-loop
      const bytes = Buffer.from(await read(sample.client, uri))
      expect([`sha256:${createHash('sha256').update(bytes).digest('hex')}`, bytes.length]).toEqual([digest, size])
    }
    const { skill } = await ask('skills/get', { uri: 'skill://release-notes/SKILL.md' })
    expect(skill).toEqual(skills[0])
    expect(skill.frontmatter.metadata).toEqual({ audience: 'maintainers' })
  })

  it('lists a folder of a skill', async () => {
    const { resources } = await ask('resources/directory/read', { uri: 'skill://release-notes' })
    expect(resources.map(({ name, mimeType }: Result) => [name, mimeType])).toEqual([
      ['release-notes', 'text/markdown'],
      ['references', 'inode/directory'],
      ['templates', 'inode/directory'],
    ])
  })
})
