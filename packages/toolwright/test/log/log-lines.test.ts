import { Writable } from 'node:stream'
import { createHost } from 'toolwright'

const served = { name: 'lines', version: '1.0.0', controllers: [] }

it('a silent logger stays silent', async () => {
  const off = await createHost({ ...served, fastify: { logger: false } })
  const on = await createHost({ ...served, fastify: { logger: true } })

  expect([off.log.level, on.log.level]).toEqual([undefined, 'info'])
  await Promise.all([off.close(), on.close()])
})

it.each([
  [null, {}],
  ['GET /', {}],
  [{ url: 5, host: null, headers: null }, {}],
  [
    { method: 'GET', url: new URL('https://api.example.com/notes?token=secret') },
    { method: 'GET', url: 'https://api.example.com/notes' },
  ],
])('an application that logs %p as a request keeps running', async (req, logged) => {
  const lines: string[] = []
  const stream = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) })
  const host = await createHost({ ...served, fastify: { logger: { stream } } })

  host.log.info({ req }, 'asked')
  await host.close()

  expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
    expect.objectContaining({ req: logged, msg: 'asked' }),
  )
})
