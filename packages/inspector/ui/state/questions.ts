// Requests of the server that the user answers by hand.
import { signal } from '@preact/signals'
import type { EraName } from './settings.js'

export type QuestionKind = 'form' | 'url' | 'sampling'

export interface Question {
  readonly key: number
  readonly era: EraName
  readonly kind: QuestionKind
  readonly params: Readonly<Record<string, unknown>>
  answer(result: object): void
  reject(message: string): void
}

export const questions = signal<readonly Question[]>([])

let lastKey = 0

/** Resolves with the user's answer, as the result of the server's request. Rejects when the call is cancelled. */
export function ask(
  era: EraName,
  kind: QuestionKind,
  params: Readonly<Record<string, unknown>>,
  abort?: AbortSignal,
): Promise<object> {
  return new Promise((resolve, reject) => {
    const key = ++lastKey
    const remove = (): void => {
      questions.value = questions.value.filter((question) => question.key !== key)
    }
    const question: Question = {
      key,
      era,
      kind,
      params,
      answer: (result) => {
        remove()
        resolve(result)
      },
      reject: (message) => {
        remove()
        reject(new Error(message))
      },
    }
    abort?.addEventListener('abort', () => question.reject('The call was cancelled'), { once: true })
    questions.value = [...questions.value, question]
  })
}

/** Asks a request that came inside of a result: the `inputRequests` of a task. */
export function askRequest(era: EraName, request: unknown, abort?: AbortSignal): Promise<object> {
  const { method, params = {} } = request as { method?: string; params?: Record<string, unknown> }
  if (method === 'sampling/createMessage') return ask(era, 'sampling', params, abort)
  if (method === 'elicitation/create') return ask(era, params['mode'] === 'url' ? 'url' : 'form', params, abort)
  return Promise.reject(new Error(`The server asks for '${String(method)}', which the inspector cannot answer`))
}
