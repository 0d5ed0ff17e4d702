import { TwoCopies } from '../../support/two-copies.js'

let copies: TwoCopies
beforeAll(() => {
  copies = new TwoCopies()
})
afterAll(() => copies.close())

const advice = (theirs: string, ours: string, name: string) =>
  `One is ${theirs}, the other is ${ours}. Install one version: \`npm ls ${name}\` shows which packages depend on it. ` +
  `A bundle contains a separate copy: put all classes into the bundle, or leave ${name} out of it.`

test('errors and results of a library with its own copy of core work like those of the server', async () => {
  const library = `
import * as core from '@toolwright/core'
export * from '@toolwright/core'
export const throwing = {
  tool: () => { throw new core.ToolError('no such city') },
  ask: () => { throw new core.ClientRequestError('no answer') },
  missing: () => { throw new core.ResourceNotFoundError('notes://1') },
  params: () => { throw new core.InvalidParamsError('odd') },
  forbidden: () => { throw new core.ForbiddenError('not you') },
  limit: () => { throw new core.LimitError('unavailable', 'busy') },
  result: () => core.result({ content: [{ type: 'text', text: 'built' }], isError: true }),
}
`
  const main = `
import * as core from '@toolwright/core'
import * as library from './library/library.mjs'
import pino from 'pino'
const logger = pino({ level: 'silent' })
const server = await core.createServer({ name: 'app', version: '1.0.0', controllers: [], logger, onReady: ({ catalog }) => {
  for (const [name, handler] of Object.entries(library.throwing)) catalog.addTool({ name, handler })
} })
const results = {}
for (const name of Object.keys(library.throwing)) {
  const ended = await server.callTool(name, {}).catch((error) => ({ kind: error.kind, message: error.message }))
  results[name] = ended.kind === undefined ? { text: ended.content[0].text, isError: ended.isError } : ended
}
class OwnError extends core.ToolError {}
results.subclass = [
  new library.ToolError('x') instanceof core.ToolError,
  new library.ToolError('x') instanceof OwnError,
  new OwnError('x') instanceof core.ToolError,
  new library.ClientRequestError('x') instanceof core.ToolError,
  new library.ToolError('x') instanceof core.ClientRequestError,
  new Error('x') instanceof core.ToolError,
]
console.log(JSON.stringify(results))
`
  expect(await copies.run({ 'errors.mjs': main, 'library/library.mjs': library })).toEqual({
    tool: { text: 'no such city', isError: true },
    ask: { text: 'no answer', isError: true },
    missing: { kind: 'resourceNotFound', message: 'Resource not found' },
    params: { kind: 'invalidParams', message: 'Invalid params' },
    forbidden: { kind: 'forbidden', message: 'not you' },
    limit: { kind: 'unavailable', message: 'busy. Try again in 1 s' },
    result: { text: 'built', isError: true },
    subclass: [true, false, true, true, false, false],
  })
})

test('an AuthenticationError of a library with its own copy of core causes a 401 with a challenge', async () => {
  const library = `export { AuthenticationError } from '@toolwright/core'`
  const main = `
import Fastify from 'fastify'
import { mcp } from '@toolwright/fastify'
import { AuthenticationError } from './library/library.mjs'
const app = Fastify()
const authentication = {
  scheme: { name: 'Bearer' },
  authenticate: () => { throw new AuthenticationError('invalid_token', 'Unauthorized: expired') },
}
await app.register(mcp, { name: 'app', version: '1.0.0', controllers: [], authentication })
const { statusCode, headers } = await app.inject({ method: 'POST', url: '/mcp', payload: {}, headers: { host: 'localhost' } })
console.log(JSON.stringify([statusCode, headers['www-authenticate']]))
await app.close()
`
  const [status, challenge] = (await copies.run({ 'auth.mjs': main, 'library/library.mjs': library })) as [
    number,
    string,
  ]
  expect(status).toBe(401)
  expect(challenge).toMatch(/^Bearer/)
})

test('a token that only the copy of the library can inject is reported with the files of both copies', async () => {
  const library = `
import { Changes, injectable, McpContext, McpTool, singleton } from '@toolwright/core'
import { container } from 'tsyringe'
export class Service {
  constructor(context) { this.context = context }
}
Reflect.defineMetadata('design:paramtypes', [McpContext], Service)
injectable()(Service)
export class Single {}
singleton()(Single)
export class Port {}
container.register(Port, { useClass: Single })
container.register('url', { useValue: 'here' })
export class Tools { call() { return '' } }
McpTool()(Tools.prototype, 'call', Object.getOwnPropertyDescriptor(Tools.prototype, 'call'))
export { Changes, container }
`
  const main = `
import { Inject, McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import * as library from './library/library.mjs'
import pino from 'pino'
const logger = pino({ level: 'silent' })
class OwnTools { call() { return '' } }
for (const [index, token] of [library.Service, library.Changes, library.Single, library.Port, 'url'].entries()) {
  Inject(token)(OwnTools.prototype, 'call', index)
}
Inject('url', { isOptional: true })(OwnTools.prototype, 'call', 5)
McpTool()(OwnTools.prototype, 'call', Object.getOwnPropertyDescriptor(OwnTools.prototype, 'call'))
const found = (options) => createServer({ name: 'app', version: '1.0.0', logger, ...options }).then(
  async (server) => (await server.close(), []),
  (error) => error.diagnostics.map(({ code, message }) => code + ': ' + message),
)
class PlainTools { call() { return '' } }
for (const [index, token] of [library.Single, library.Port, 'url'].entries()) Inject(token)(PlainTools.prototype, 'call', index)
McpTool()(PlainTools.prototype, 'call', Object.getOwnPropertyDescriptor(PlainTools.prototype, 'call'))
console.log(JSON.stringify([
  await found({ controllers: [OwnTools, library.Tools] }),
  await found({ controllers: [PlainTools], container: library.container }),
]))
`
  const cores = advice(copies.otherCore, copies.ownCore, '@toolwright/core')
  const tsyringes = advice(copies.otherTsyringe, copies.ownTsyringe, 'tsyringe')
  const stray = (what: string) =>
    `two-copies: ${what} is registered with one copy of tsyringe, and created by another copy. ${tsyringes} Or import ` +
    "`container`, `singleton` and the rest from 'toolwright', or pass the `container` of the other copy as the option `container` of the server."
  expect(await copies.run({ 'tokens.mjs': main, 'library/library.mjs': library })).toEqual([
    [
      `two-copies: controllers: the class Tools was decorated by another copy of @toolwright/core than the one that serves it. ${cores}`,
      `two-copies: The constructor of Service, parameter 1: McpContext is from another copy of @toolwright/core than the one that serves it. ${cores}`,
      `two-copies: OwnTools.call, parameter 2: Changes is from another copy of @toolwright/core than the one that serves it. ${cores}`,
      stray('OwnTools.call, parameter 3: Single'),
      stray('OwnTools.call, parameter 4: Port'),
      stray("OwnTools.call, parameter 5: 'url'"),
      stray("OwnTools.call, parameter 6: 'url'"),
    ],
    [],
  ])
})
