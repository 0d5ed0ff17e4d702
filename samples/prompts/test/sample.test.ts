import { describeProgram } from '../../../test/support/program-behaviour.js'
import { type ConnectedSample, connectOlderClient, connectSample, programLanes } from '../../../test/support/sample.js'

describeProgram('prompts', ['list_dishes'], '  prompts    judge_plate, plan_meal\n')

const shoppingList = (text: string) => ({
  description: 'Asks for a shopping list',
  messages: [{ role: 'user', content: { type: 'text', text } }],
})
const forTwo = shoppingList('Write a shopping list for dal, indian style, for 2 people.')

describe.each(programLanes)('prompts over $lane, $era', (lane) => {
  let sample: ConnectedSample

  beforeAll(async () => {
    sample = await connectSample('prompts', lane)
  })
  afterAll(() => sample.close())

  it('lists the prompts with their arguments', async () => {
    const { prompts } = await sample.client.listPrompts()
    expect(prompts).toEqual([
      { name: 'judge_plate', title: 'Judge a plate', description: 'A conversation with every kind of content' },
      {
        name: 'plan_meal',
        title: 'Plan a meal',
        description: 'Asks for a shopping list',
        arguments: [
          { name: 'kitchen', description: 'Cuisine, such as italian', required: true },
          { name: 'dish', description: 'The main dish', required: true },
          { name: 'guests', description: 'Number of guests', required: false },
        ],
      },
    ])
  })

  const plan = (args: Record<string, string>) => sample.client.getPrompt({ name: 'plan_meal', arguments: args })

  it('fills in defaults, and converts arguments', async () => {
    expect(await plan({ kitchen: 'indian', dish: 'dal' })).toMatchObject(forTwo)
    expect(await plan({ kitchen: 'indian', dish: 'dal', guests: '12' })).toMatchObject(
      shoppingList('Write a shopping list for dal, indian style, for 12 people.'),
    )
  })

  it.each<[Record<string, string>, string]>([
    [{ kitchen: 'indian' }, "missing required argument 'dish'."],
    [{ kitchen: 'indian', dish: 'dal', guests: 'all' }, "'guests' must be an integer, got a string."],
  ])('rejects %j', async (args, fault) => {
    await expect(plan(args)).rejects.toMatchObject({
      code: -32602,
      data: { detail: `Invalid arguments for prompt 'plan_meal': ${fault}` },
    })
  })

  it('returns messages with every kind of content', async () => {
    const { messages } = await sample.client.getPrompt({ name: 'judge_plate' })
    expect(messages.map(({ role, content }) => [role, content.type])).toEqual([
      ['user', 'text'],
      ['user', 'image'],
      ['user', 'resource'],
      ['user', 'resource_link'],
      ['assistant', 'text'],
      ['user', 'audio'],
    ])
  })

  const complete = async (argument: { name: string; value: string }, filledIn?: Record<string, string>) => {
    const { completion } = await sample.client.complete({
      ref: { type: 'ref/prompt', name: 'plan_meal' },
      argument,
      ...(filledIn === undefined ? {} : { context: { arguments: filledIn } }),
    })
    return completion.values
  }

  it('completes an argument, depending on the others', async () => {
    expect(await complete({ name: 'kitchen', value: 'i' })).toEqual(['italian', 'indian'])
    expect(await complete({ name: 'dish', value: 'r' })).toEqual(['risotto', 'raita', 'ramen'])
    expect(await complete({ name: 'dish', value: 'r' }, { kitchen: 'italian' })).toEqual(['risotto'])
    expect(await complete({ name: 'guests', value: '1' })).toEqual([])
  })
})

it('prompts serves the version 1 client, too', async () => {
  const { client, close } = await connectOlderClient('prompts')
  expect((await client.listPrompts()).prompts).toHaveLength(2)
  const args = { kitchen: 'indian', dish: 'dal' }
  expect(await client.getPrompt({ name: 'plan_meal', arguments: args })).toEqual(forTwo)
  await close()
})
