import { connect, lanes, type TestConnection } from '@toolwright/testing'
import { container } from 'toolwright'
import { RoomTools } from '../../docs/snippets/ask-the-user.js'
import { UserTools } from '../../docs/snippets/authorize-callers.js'
import { Clock, DiaryTools } from '../../docs/snippets/inject-services.js'
import { ForecastTools } from '../../docs/snippets/validate-arguments.js'

// Runs the snippets of "Test a server".

// #region first
let connection: TestConnection

beforeEach(async () => {
  connection = await connect({
    name: 'test',
    version: '1.0.0',
    controllers: [ForecastTools],
  })
})

afterEach(() => connection.close())

test('forecasts the requested number of days', async () => {
  const { content } = await connection.client.callTool({
    name: 'forecast',
    arguments: { city: 'Lisbon', days: 2 },
  })
  expect(content).toEqual([
    { type: 'text', text: 'Lisbon, the next 2 days: sun' },
  ])
})
// #endregion

// #region faults
test('returns an error to the model without a city', async () => {
  await using weather = await connect({
    name: 'test',
    version: '1.0.0',
    controllers: [ForecastTools],
  })

  const { content, isError } = await weather.client.callTool({
    name: 'forecast',
    arguments: {},
  })
  expect(isError).toBe(true)
  expect(content).toEqual([
    {
      type: 'text',
      text: "Invalid arguments for tool 'forecast': missing required argument 'city'.",
    },
  ])
})
// #endregion

// #region principal
test('only an admin deletes users', async () => {
  const options = { name: 'test', version: '1.0.0', controllers: [UserTools] }
  const alice = { subject: 'alice', roles: ['Admin'], scopes: ['users:write'] }
  const bob = { subject: 'bob', roles: ['Manager'] }
  await using admin = await connect(options, { principal: alice })
  await using manager = await connect(options, { principal: bob })

  const call = { name: 'delete_user', arguments: { name: 'carol' } }
  const { content } = await admin.client.callTool(call)
  expect(content).toEqual([{ type: 'text', text: 'carol is gone' }])
  await expect(manager.client.callTool(call)).rejects.toThrow(
    'Forbidden: you are not allowed to use this',
  )
})
// #endregion

// #region answer
test('reserves with the answers of the guest', async () => {
  const options = { name: 'test', version: '1.0.0', controllers: [RoomTools] }
  await using hotel = await connect(options, {
    client: { capabilities: { elicitation: {} } },
  })
  hotel.client.setRequestHandler('elicitation/create', () => ({
    action: 'accept',
    content: { name: 'Ada', nights: 2, bed: 'one' },
  }))

  const { content } = await hotel.client.callTool({ name: 'reserve' })
  expect(content).toEqual([
    { type: 'text', text: 'Reserved 2 nights for Ada.' },
  ])
})
// #endregion

// #region fake
test('returns the date of the clock', async () => {
  const services = container.createChildContainer()
  services.registerInstance(Clock, { today: () => '2031-12-24' })

  const options = {
    name: 'test',
    version: '1.0.0',
    controllers: [DiaryTools],
    container: services,
  }
  await using diary = await connect(options)

  const { content } = await diary.client.callTool({ name: 'tell_date' })
  expect(content).toEqual([{ type: 'text', text: '2031-12-24' }])
})
// #endregion

// #region lanes
test.each(lanes)(
  'lists its tools over $lane to a $era client',
  async (lane) => {
    await using server = await connect(
      { name: 'test', version: '1.0.0', controllers: [ForecastTools] },
      lane,
    )

    const { tools } = await server.client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual(['forecast'])
  },
)
// #endregion
