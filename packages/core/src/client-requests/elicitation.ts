import { describeErrors, type Parsed, parseValue } from '@toolwright/schema'
import { isModelClass } from '../model.js'
import { isJsonObject, type JsonObject, ownMember, withoutNulls } from '../rpc/messages.js'
import type { MaybePromise } from '../timing/maybe-promise.js'
import { isPromiseLike } from '../timing/with-timeout.js'
import {
  type ClientRequest,
  type ClientRequestOptions,
  InvalidClientAnswer,
  InvalidClientRequest,
} from './client-request.js'
import { compileForm, type Form, type FormContent, type FormSchema } from './form-schema.js'

/** Options of `context.elicit`: a form for the user to fill in. Spec: client/elicitation. */
export interface ElicitOptions<Schema extends FormSchema> extends ClientRequestOptions {
  /** The question for the user. Never ask for passwords, keys or other secrets in a form: use `elicitUrl` for them. */
  readonly message: string
  /** A flat object of strings, numbers, booleans, and single or multiple choices of strings. */
  readonly schema: Schema
}

/** The user's response to a form: `accept` (with the content), `decline` or `cancel`. */
export type ElicitResult<Content> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined }

/** Options of `context.elicitUrl`: a web page for the user to open. Spec: client/elicitation. */
export interface ElicitUrlOptions extends ClientRequestOptions {
  /** The reason why the user should open the page. */
  readonly message: string
  /**
   * Absolute http(s) URL. Must not contain secrets, personal data, or a login link: anyone who has the URL can open it.
   */
  readonly url: string
}

/** The user's response. `accept` means that the user agreed to open the page, not that the user completed the steps on it. */
export interface ElicitUrlResult {
  readonly action: 'accept' | 'decline' | 'cancel'
}

/** A question of a handler, as `onElicit` of an in-process call gets it: a form to fill in, or a web page to open. */
export type ElicitRequest =
  | { readonly mode: 'form'; readonly message: string; readonly requestedSchema: JsonObject }
  | { readonly mode: 'url'; readonly message: string; readonly url: string }

export function createFormRequest<Schema extends FormSchema>(
  options: ElicitOptions<Schema>,
): ClientRequest<ElicitResult<FormContent<Schema>>> {
  const { message, schema, key } = options
  const form = compileForm(schema)
  return {
    request: { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema: form.wire } },
    key,
    read: (answer) => readForm(answer, form, schema),
  }
}

/**
 * Reads one of `context.inputResponses`, for handlers that call `inputRequired`. Returns the content of an accepted form that
 * matches `schema`, with defaults filled in. Returns `undefined` for any other answer: none, declined, cancelled or invalid.
 */
export function acceptedContent<const Schema extends FormSchema>(
  responses: JsonObject,
  key: string,
  schema: Schema,
): FormContent<Schema> | undefined {
  const form = compileForm(schema)
  try {
    const result = readForm(ownMember(responses, key), form, schema)
    if (!isPromiseLike(result)) return result.content
    // The outcome is not needed, and its rejection must not end the process.
    result.catch(() => undefined)
    throw new InvalidClientRequest('acceptedContent does not wait for an asynchronous schema. Use context.elicit.')
  } catch (error) {
    if (error instanceof InvalidClientAnswer) return undefined
    throw error
  }
}

export function createUrlRequest({ message, url, key }: ElicitUrlOptions): ClientRequest<ElicitUrlResult> {
  checkUrl(url)
  return {
    request: { method: 'elicitation/create', params: { mode: 'url', message, url } },
    key,
    read: (answer) => ({ action: readAction(answer).action }),
  }
}

type Action = 'accept' | 'decline' | 'cancel'

function readAction(answer: unknown): { action: Action; content: unknown } {
  const { action, content } = isJsonObject(answer) ? withoutNulls(answer) : ({} as JsonObject)
  if (action === 'accept' || action === 'decline' || action === 'cancel') return { action, content }
  throw new InvalidClientAnswer('"action" must be "accept", "decline" or "cancel"')
}

function readForm<Schema extends FormSchema>(
  answer: unknown,
  form: Form,
  schema: Schema,
): MaybePromise<ElicitResult<FormContent<Schema>>> {
  const { action, content } = readAction(answer)
  if (action !== 'accept') return { action }
  const read = readContent(content, form, schema)
  const accept = (given: unknown) => ({ action, content: given as FormContent<Schema> })
  return isPromiseLike(read) ? Promise.resolve(read).then(accept) : accept(read)
}

/** Reads the content of a form. The content may be missing: not every form has required fields. */
function readContent(given: unknown, { compiled }: Form, schema: FormSchema): unknown {
  if (given !== undefined && !isJsonObject(given)) throw new InvalidClientAnswer('"content" must be an object')
  // The object is copied, because defaults are written into the object, and the original answer could be needed again.
  const copy = structuredClone(withoutNulls(given ?? {}))
  const parsed = parseValue(compiled, copy)
  const take = (outcome: Parsed): unknown => toContent(takeParsed(outcome, copy), schema)
  return isPromiseLike(parsed) ? parsed.then(take) : take(parsed)
}

function takeParsed(parsed: Parsed, given: unknown): unknown {
  if (parsed.errors === undefined) return parsed.value
  throw new InvalidClientAnswer(describeErrors(parsed.errors, given, '"content"'))
}

function toContent(content: unknown, schema: FormSchema): unknown {
  return isModelClass(schema) ? new schema(content) : content
}

function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null
  const isWebPage = url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
  if (isWebPage && url.username === '' && url.password === '') return
  throw new InvalidClientRequest(
    'The url of elicitUrl must be an absolute http(s) URL without a user name or password.',
  )
}
