import {
  audio,
  type CallResult,
  type ContentBlock,
  embeddedResource,
  image,
  isJsonObject,
  result,
  ToolError,
  text,
} from '@toolwright/core'
import { checkShape } from '@toolwright/schema'
import { cleanText } from './clean-text.js'
import { originOf } from './operation.js'
import { isJsonType } from './parameters.js'
import { type OperationPlan, type OutputPlan, unexpected } from './plan-operation.js'
import { type ApiAnswer, retryAfter, SendError } from './send.js'

/** Characters of an error's body that the model gets. */
const maxErrorText = 4000
/** Integers beyond 2^53, which JavaScript rounds. */
const longInteger = /[[:,]\s*-?\d{16,}\s*[,\]}]/
const maxDepth = 100

export type OnDeviation = (reason: string) => void

export class AnswerReader {
  readonly #plan: OperationPlan
  readonly #name: string
  readonly #onDeviation: OnDeviation
  readonly #isStrict: boolean
  #describeMistake: ReturnType<typeof checkShape> | null = null

  constructor(name: string, plan: OperationPlan, isStrict: boolean, onDeviation: OnDeviation) {
    this.#name = name
    this.#plan = plan
    this.#isStrict = isStrict
    this.#onDeviation = onDeviation
  }

  /** @throws ToolError for an answer that is an error. */
  read(answer: ApiAnswer): CallResult {
    const { status, headers, bytes, isCut } = answer
    if (status >= 400) throw new ToolError(describeError(this.#plan, answer))
    if (status >= 300)
      throw new ToolError(`The API answered ${status}, and named no other place. Change the arguments.`)
    if (isCut) throw new ToolError(describeLarge(this.#plan))
    const type = headers.get('content-type') ?? ''
    const more = this.#describeNext(headers.get('link'))
    if (bytes.length === 0) return this.#withoutBody(status)
    if (isJsonType(type)) return this.#readJson(bytes.toString('utf8'), more)
    return this.#unstructured(contentOf(type, bytes, this.#name), more)
  }

  #withoutBody(status: number): CallResult {
    return this.#unstructured(text(`The API answered ${status} without content: the operation succeeded.`), [])
  }

  /** Clients require structured content of a tool with an output schema. */
  #unstructured(content: ContentBlock, more: readonly ContentBlock[]): CallResult {
    if (this.#plan.output === null) return result({ content: [content, ...more] })
    return this.#deviating(content, null, 'the answer is no JSON', more)
  }

  #readJson(source: string, more: readonly ContentBlock[]): CallResult {
    let value: unknown
    try {
      value = JSON.parse(source)
    } catch {
      return this.#unstructured(text(source), more)
    }
    const { output } = this.#plan
    const isExact = !longInteger.test(source)
    const content = text(isExact ? JSON.stringify(value) : source)
    if (output === null) {
      const structured = isExact && isJsonObject(value) ? { structuredContent: value } : {}
      return result({ content: [content, ...more], ...structured })
    }
    if (!isExact)
      return this.#deviating(content, source, 'the answer has integers that JavaScript cannot express', more)
    const structuredContent = output.isWrapped ? { result: value } : value
    if (isShallow(value) && this.#check(output, structuredContent)) {
      return result({ content: [content, ...more], structuredContent })
    }
    return this.#deviating(content, value, 'the answer does not match the schema of the document', more)
  }

  #check({ schema }: OutputPlan, value: unknown): boolean {
    this.#describeMistake ??= checkShape(schema)
    return isJsonObject(value) && this.#describeMistake(value, 'the answer') === null
  }

  #deviating(content: ContentBlock, value: unknown, reason: string, more: readonly ContentBlock[]): CallResult {
    this.#onDeviation(reason)
    if (this.#isStrict) {
      throw new ToolError('The answer of the API does not match its document. The operation may have been carried out.')
    }
    return result({ content: [content, ...more], structuredContent: { [unexpected]: value } })
  }

  #describeNext(link: string | null): ContentBlock[] {
    const target = /<([^<>]*)>\s*;[^,<]*\brel="?next"?/i.exec(link?.slice(0, 8000) ?? '')?.[1]
    if (target === undefined || !URL.canParse(target, 'http://api')) return []
    const query = new URL(target, 'http://api').searchParams
    const next = this.#plan.arguments.flatMap(({ key, parameter }) => {
      const value = parameter?.place === 'query' ? query.get(parameter.name) : null
      return value === null ? [] : [`${key}=${JSON.stringify(cleanText(value, 200))}`]
    })
    return next.length === 0 ? [] : [text(`There are more results. For the next page, call with ${next.join(', ')}.`)]
  }
}

/** Whether the value can be checked without a deep recursion. */
function isShallow(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth < maxDepth && Object.values(value).every((member) => isShallow(member, depth + 1))
}

function contentOf(type: string, bytes: Buffer, name: string): ContentBlock {
  const media = (type.split(';')[0] as string).trim().toLowerCase()
  if (/^image\/(?:png|jpeg|gif|webp)$/.test(media)) return image(bytes, media)
  if (/^audio\/[\w.+-]+$/.test(media)) return audio(bytes, media)
  const isText = /^text\/|xml$|^application\/(?:yaml|javascript|x-ndjson|x-www-form-urlencoded)/.test(media)
  if (isText || (media === '' && isUtf8Text(bytes))) return text(decode(bytes, type))
  const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(media) ? media : 'application/octet-stream'
  return embeddedResource({ uri: `openapi:${encodeURIComponent(name)}`, mimeType, blob: bytes.toString('base64') })
}

function decode(bytes: Buffer, type: string): string {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}

function isUtf8Text(bytes: Buffer): boolean {
  return !bytes.includes(0) && Buffer.from(bytes.toString('utf8')).equals(bytes)
}

/** Describes an error so that the model knows whether and how to go on. */
function describeError(plan: OperationPlan, answer: ApiAnswer): string {
  const { status, headers } = answer
  const name = statusNames[status] ?? ''
  const body = errorBody(answer)
  const answered = `The API answered ${status}${name === '' ? '' : ` ${name}`} to ${originOf(plan.operation)}.`
  return [answered, adviceOn(status, retryAfter(headers.get('retry-after'))), body]
    .filter((part) => part !== '')
    .join(' ')
}

const statusNames: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

function adviceOn(status: number, seconds: number | null): string {
  if (status === 401) return 'The API does not know the caller. Repeating the call does not help.'
  if (status === 403) return 'The caller is not allowed to do this. Repeating the call does not help.'
  if (status === 404 || status === 410)
    return 'The thing does not exist, or the caller is not allowed to see it. Check the arguments.'
  if (status === 409 || status === 412) return 'The thing was changed, or exists already. Read it again first.'
  if (status === 429 || status === 503)
    return seconds === null ? 'Try again later.' : `Try again after ${seconds} seconds.`
  if (status >= 500) return 'The fault is in the API, and not in the arguments.'
  return 'Correct the arguments.'
}

function errorBody({ bytes, headers }: ApiAnswer): string {
  const type = headers.get('content-type') ?? ''
  const source = bytes.subarray(0, maxErrorText * 4).toString('utf8')
  if (isJsonType(type)) return `The answer: ${cleanText(compact(source), maxErrorText)}`
  // Pages of HTML are for people, and are mostly markup.
  return /^text\/plain/i.test(type) && source !== '' ? `The answer: ${cleanText(source, maxErrorText)}` : ''
}

function compact(source: string): string {
  try {
    return JSON.stringify(JSON.parse(source))
  } catch {
    return source
  }
}

function describeLarge(plan: OperationPlan): string {
  const names = plan.arguments.flatMap(({ key, parameter }) => (parameter?.place === 'query' ? [key] : [])).slice(0, 20)
  const how =
    names.length === 0 ? 'Ask for a smaller part of the data.' : `Ask for less, with the arguments ${names.join(', ')}.`
  return `The answer of the API has too many bytes. ${how}`
}

/** Describes a request without an answer. The names of hosts stay in the log. */
export function describeFailure(error: SendError, method: string): string {
  const mayHaveRun = method === 'GET' ? '' : ' The operation may have been carried out: check before you repeat it.'
  if (error.failure === 'timeout')
    return `The API did not answer in time. Try again later, or ask for less.${mayHaveRun}`
  if (error.failure === 'connection') return `The connection to the API failed. Try again later.${mayHaveRun}`
  if (error.failure === 'redirect') return `The API redirected the request to a place that is not allowed.${mayHaveRun}`
  if (error.failure === 'address')
    return 'The address of the API is not allowed. The operator of this server has to correct this.'
  return 'The request could not be sent to the API. Change the arguments.'
}
