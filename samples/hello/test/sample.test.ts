import { describeProgram, describeStdioProgram } from '../../../test/support/program-behaviour.js'
import { type ConnectedSample, call, connectSample, programLanes } from '../../../test/support/sample.js'

describeProgram('hello', ['say_hello'])
describeStdioProgram('hello')

describe.each(programLanes)('hello over $lane, $era', (lane) => {
  let sample: ConnectedSample

  beforeAll(async () => {
    sample = await connectSample('hello', lane)
  })

  afterAll(() => sample.close())

  it('lists its only tool', async () => {
    expect(sample.client.getProtocolEra()).toBe(lane.era)
    expect((await sample.client.listTools()).tools).toEqual([
      {
        name: 'say_hello',
        description: 'Greets a person',
        inputSchema: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string', description: 'Name of the person' } },
        },
      },
    ])
  })

  it('greets the given name', async () => {
    expect(await call(sample.client, 'say_hello', { name: 'Ada' })).toEqual({
      content: [{ type: 'text', text: 'Hello, Ada!' }],
    })
  })
})
