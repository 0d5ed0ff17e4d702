import { isJsonObject, type JsonObject, withoutNulls } from '../rpc/messages.js'
import { describeErrors } from '../schema/describe-errors.js'
import { isModelClass } from '../schema/model.js'
import {
  type ClientRequest,
  type ClientRequestOptions,
  InvalidClientAnswer,
  InvalidClientRequest,
} from './client-request.js'
import { compileForm, type Form, type FormContent, type FormSchema } from './form-schema.js'

/** A form for the user. */
export interface ElicitOptions<Schema extends FormSchema> extends ClientRequestOptions {
  /** What the user is asked. Never for passwords, keys or the like: use `elicitUrl` for those. */
  readonly message: string
  /** A flat object: text, numbers, booleans, and choices of texts. */
  readonly schema: Schema
}

/** What the user did with a form. */
export type ElicitResult<Content> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined }

/** A web page for the user. */
export interface ElicitUrlOptions extends ClientRequestOptions {
  /** Why the user should open the page. */
  readonly message: string
  /** The page. Nothing secret or personal in it, and nothing that logs in whoever opens it. */
  readonly url: string
}

/** `accept`: the user agreed to open the page. Whether they finished there is for that page to tell. */
export interface ElicitUrlResult {
  readonly action: 'accept' | 'decline' | 'cancel'
}

export function createFormRequest<Schema extends FormSchema>(
  options: ElicitOptions<Schema>,
): ClientRequest<ElicitResult<FormContent<Schema>>> {
  const { message, schema, key } = options
  const form = compileForm(schema)
  return {
    request: { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema: form.wire } },
    key,
    read: (answer) => {
      const { action, content } = readAction(answer)
      if (action !== 'accept') return { action }
      return { action, content: readContent(content, form, schema) as FormContent<Schema> }
    },
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

/** A form without required fields may come back without content. */
function readContent(given: unknown, { compiled }: Form, schema: FormSchema): unknown {
  if (given !== undefined && !isJsonObject(given)) throw new InvalidClientAnswer('"content" must be an object')
  // A copy: defaults are filled in in place, and the answer may be needed again as it came.
  const present = { ...withoutNulls(given ?? {}) }
  const content = compiled.applyDefaults === null ? present : compiled.applyDefaults(structuredClone(present))
  if (!compiled.check(content)) {
    throw new InvalidClientAnswer(describeErrors(compiled.errors(content), content, '"content"'))
  }
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
