import { type Principal } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { makeFolder, skillText } from '../support/folders.js'
import { openRawClient } from '../support/raw-client.js'

const skills = makeFolder({ 'refunds/SKILL.md': skillText('refunds') })
const uri = 'skill://refunds/SKILL.md'
const unauthorized = { code: -32600, message: 'Unauthorized: authenticate first' }
const ada: Principal = { subject: 'ada', roles: [], scopes: [], claims: {} }

const requests: [string, object][] = [
  ['skills/get', { uri }],
  ['resources/directory/read', { uri: 'skill://refunds' }],
  ['resources/read', { uri }],
]

async function ask(method: string, params: object, principal?: Principal, hideForbidden = false) {
  const logger = pino({ enabled: false })
  const authorization = { hideForbidden }
  const server = await createServer({ name: 'test', version: '1', logger, skills, authorization })
  await using client = openRawClient(server, principal)
  const answer = await client.modern(method, params)
  await server.close()
  return answer
}

it.each(requests)('%s of skills follows the default rule of the host', async (method, params) => {
  expect((await ask(method, params)).error).toEqual(unauthorized)
  expect((await ask(method, params, ada)).error).toBeUndefined()
})

it.each(requests)('with hideForbidden, %s of skills answers as if there were no skills', async (method, params) => {
  const rejected = await ask(method, params, undefined, true)
  const unknown = await ask(method, JSON.parse(JSON.stringify(params).replace('refunds', 'nowhere')), undefined, true)
  expect(JSON.parse(JSON.stringify(rejected).replaceAll('refunds', 'nowhere'))).toEqual(unknown)
})

it('skills are neither listed nor declared to callers who may not use them', async () => {
  expect((await ask('skills/list', {})).result.skills).toEqual([])
  expect((await ask('skills/list', {}, ada)).result).toMatchObject({ skills: [{ uri }], cacheScope: 'private' })
  expect((await ask('server/discover', {})).result.capabilities).toEqual({ tools: { listChanged: true }, logging: {} })
  const { extensions } = (await ask('server/discover', {}, ada)).result.capabilities
  expect(extensions).toEqual({ 'io.modelcontextprotocol/skills': { directoryRead: true } })
})
