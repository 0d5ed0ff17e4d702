import { confirm, isCancel, log, multiselect, select, text } from '@clack/prompts'
import { oneLine } from '../terminal.js'
import { BadValue } from './exact-json.js'
import { openInBrowser } from './open-in-browser.js'
import { parseValue } from './parse-value.js'
import { itemsOf, keywordOf, propertiesOf, requiredOf, type Schema, titledStrings, typesOf } from './schema-types.js'

const output = process.stderr

type Action = 'accept' | 'decline' | 'cancel'

export async function chooseAction(message: string): Promise<Action> {
  log.message(message, { output })
  const action = await select<Action>({
    message: 'Answer the server?',
    options: [
      { value: 'accept', label: 'Answer' },
      { value: 'decline', label: 'Decline', hint: 'the server continues without an answer' },
      { value: 'cancel', label: 'Cancel' },
    ],
    output,
  })
  return isCancel(action) ? 'cancel' : action
}

export async function confirmUrl(message: string, url: string): Promise<Action> {
  const isWeb = URL.canParse(url) && ['https:', 'http:'].includes(new URL(url).protocol)
  log.message(`${message}\n\n${oneLine(url)}`, { output })
  if (!isWeb) {
    log.warn('The address is not a web page, so it is not opened.', { output })
    return 'decline'
  }
  const action = await select<Action | 'shown'>({
    message: `Open the page at ${new URL(url).host}?`,
    options: [
      { value: 'accept', label: 'Open it in the browser' },
      { value: 'shown', label: 'I open it myself' },
      { value: 'decline', label: 'Decline' },
    ],
    output,
  })
  if (isCancel(action)) return 'cancel'
  if (action === 'accept') await openInBrowser(url)
  return action === 'shown' ? 'accept' : action
}

/**
 * Asks for the properties of an object.
 *
 * @param only Names of the properties to ask for. Default: all.
 * @returns The values; `null` if the user cancelled.
 */
export async function askForm(schema: Schema, only?: readonly string[]): Promise<Record<string, unknown> | null> {
  const values: Record<string, unknown> = {}
  const required = requiredOf(schema, schema)
  for (const [name, property] of propertiesOf(schema, schema)) {
    if (only !== undefined && !only.includes(name)) continue
    // oxlint-disable-next-line no-await-in-loop -- one prompt after the other
    const value = await askValue(name, property, schema, required.includes(name))
    if (value === cancelled) return null
    if (value !== undefined) values[name] = value
  }
  return values
}

const cancelled = Symbol('cancelled')

interface Choice {
  readonly value: string
  readonly label: string
}

async function askValue(name: string, schema: Schema, root: Schema, isRequired: boolean): Promise<unknown> {
  const [title, description, initial] = ['title', 'description', 'default'].map((each) => keywordOf(schema, root, each))
  const label = oneLine(typeof title === 'string' ? title : name)
  const about = typeof description === 'string' && description !== title ? ` (${oneLine(description)})` : ''
  const message = `${label}${about}${isRequired ? '' : ' [optional]'}`
  const types = typesOf(schema, root)
  if (types.length === 1 && types[0] === 'boolean') {
    const value = await confirm({ message, initialValue: initial !== false && initial !== undefined, output })
    return isCancel(value) ? cancelled : value
  }
  const choices = choicesOf(schema, root)
  if (choices !== null) return askChoice(message, choices, initial, isRequired)
  const many = types[0] === 'array' ? choicesOf(itemsOf(schema, root), root) : null
  if (many !== null) {
    const initialValues = Array.isArray(initial) ? initial.filter((value) => typeof value === 'string') : []
    const value = await multiselect({ message, options: [...many], initialValues, required: isRequired, output })
    return isCancel(value) ? cancelled : value
  }
  return askText(message, schema, root, isRequired)
}

async function askChoice(
  message: string,
  choices: readonly Choice[],
  initial: unknown,
  isRequired: boolean,
): Promise<unknown> {
  const options = isRequired ? [...choices] : [...choices, { value: '', label: 'no answer' }]
  const value = await select({
    message,
    options,
    ...(typeof initial === 'string' ? { initialValue: initial } : {}),
    output,
  })
  if (isCancel(value)) return cancelled
  return value === '' && !isRequired ? undefined : value
}

function choicesOf(schema: Schema, root: Schema): readonly Choice[] | null {
  const choices = titledStrings(schema, root)
  return choices === null ? null : choices.map(([value, title]) => ({ value, label: labelOf(title, value) }))
}

function labelOf(title: unknown, value: string): string {
  return oneLine(typeof title === 'string' ? title : value)
}

async function askText(message: string, schema: Schema, root: Schema, isRequired: boolean): Promise<unknown> {
  const initial = keywordOf(schema, root, 'default')
  const initialValue = initial === undefined ? '' : typeof initial === 'string' ? initial : JSON.stringify(initial)
  const answer = await text({
    message,
    initialValue,
    validate: (given = '') =>
      given === '' ? (isRequired ? 'An answer is required' : undefined) : findFault(given, schema, root),
    output,
  })
  if (isCancel(answer)) return cancelled
  return answer === undefined || answer === '' ? undefined : parseValue(answer, schema, root)
}

function findFault(given: string, schema: Schema, root: Schema): string | undefined {
  try {
    return findOutOfRange(parseValue(given, schema, root), schema, root)
  } catch (error) {
    if (error instanceof BadValue) return `It ${oneLine(error.message)}`
    throw error
  }
}

function findOutOfRange(value: unknown, schema: Schema, root: Schema): string | undefined {
  const limits = ['minimum', 'maximum', 'minLength', 'maxLength'].map((each) => keywordOf(schema, root, each))
  const [minimum, maximum, minLength, maxLength] = limits
  if (typeof value === 'number') {
    if (typeof minimum === 'number' && value < minimum) return `It must be at least ${minimum}`
    if (typeof maximum === 'number' && value > maximum) return `It must be at most ${maximum}`
  }
  if (typeof value === 'string') {
    if (typeof minLength === 'number' && value.length < minLength)
      return `It must have at least ${minLength} characters`
    if (typeof maxLength === 'number' && value.length > maxLength) return `It must have at most ${maxLength} characters`
  }
  return undefined
}
