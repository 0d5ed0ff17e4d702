import { McpTool } from '@toolwright/core'
import { connect, type EraName } from '@toolwright/testing'

class Tools {
  @McpTool({ description: 'Adds nothing' })
  none(): string {
    return 'none'
  }
}

afterEach(() => jest.useRealTimers())

test.each<EraName>(['modern', 'legacy'])(
  'a connection in memory works with the fake timers of Jest (%s)',
  async (era) => {
    jest.useFakeTimers()
    await using connection = await connect({ name: 'x', version: '1', controllers: [Tools] }, { era })
    expect(await connection.client.callTool({ name: 'none' })).toMatchObject({ content: [{ text: 'none' }] })
  },
)

test('a change is published with the fake timers of Jest', async () => {
  jest.useFakeTimers()
  let publish = (): void => undefined
  const published = new Promise<string>((resolve) => {
    publish = () => resolve('published')
  })
  const changeBus = { publish: () => publish(), subscribe: () => () => undefined }
  await using connection = await connect({ name: 'x', version: '1', controllers: [Tools], changeBus })
  connection.server.changes.toolsChanged()
  expect(await published).toBe('published')
})
