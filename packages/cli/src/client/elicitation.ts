import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import { usageError } from '../command-error.js'
import { isInteractive, note, oneLine, safeText } from '../terminal.js'
import { BadValue, parseExactly } from './exact-json.js'
import { isSchema } from './schema-types.js'

export class Elicitation {
  readonly #answers: string[]

  /**
   * @param answers Answers given on the command line, in order: `decline`, `cancel`, or JSON.
   * @param around Runs a prompt while progress is hidden and the timeout is suspended.
   */
  constructor(
    answers: readonly string[],
    private readonly around: <Answer>(ask: () => Promise<Answer>) => Promise<Answer>,
  ) {
    this.#answers = answers.map(checkAnswer)
  }

  async answer(params: ElicitRequest['params']): Promise<ElicitResult> {
    const message = oneLine(params.message)
    const given = this.#answers.shift()
    if (given !== undefined) {
      note(`The server asks: ${message}\nAnswered: ${given}`)
      return parseAnswer(given)
    }
    if (!isInteractive()) {
      note(`The server asks: ${message}\nDeclined: there is no terminal. Pass --answer JSON to answer.`)
      return { action: 'decline' }
    }
    return this.around(() => ask(params))
  }
}

async function ask(params: ElicitRequest['params']): Promise<ElicitResult> {
  const { askForm, chooseAction, confirmUrl } = await import('./prompts.js')
  const message = safeText(params.message)
  if (params.mode === 'url') return { action: await confirmUrl(message, params.url) }
  const { requestedSchema } = params
  const action = await chooseAction(message)
  if (action !== 'accept') return { action }
  const content = await askForm(isSchema(requestedSchema) ? requestedSchema : {})
  return content === null ? { action: 'cancel' } : { action: 'accept', content: content as ElicitResult['content'] }
}

function checkAnswer(answer: string): string {
  if (answer === 'decline' || answer === 'cancel' || answer === 'accept') return answer
  try {
    if (isSchema(parseExactly(answer))) return answer
  } catch (error) {
    if (error instanceof BadValue) throw usageError(`--answer is '${answer}': it ${error.message}.`)
    // Another mistake is reported below.
  }
  const advice = `Give a JSON object, such as '{"name":"Ann"}', or accept, decline or cancel.`
  throw usageError(`--answer is '${answer}'. ${advice}`)
}

function parseAnswer(answer: string): ElicitResult {
  if (answer === 'decline' || answer === 'cancel') return { action: answer }
  // A URL is accepted without content.
  if (answer === 'accept') return { action: 'accept' }
  return { action: 'accept', content: JSON.parse(answer) as NonNullable<ElicitResult['content']> }
}
