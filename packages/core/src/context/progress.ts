import { type ExactId, encodeId, isRequestId, type JsonObject } from '../rpc/messages.js'

/** How far a call is. `progress` only grows; `total` is given when it is known. */
export interface ProgressUpdate {
  readonly progress: number
  readonly total?: number | undefined
  /** For the user. From 2025-03-26 on. */
  readonly message?: string | undefined
}

/** Reaches the client before the answer of its request. */
export interface Sender {
  notify(json: string): void
}

interface ProgressOptions {
  readonly token: ExactId
  /** Revisions before 2025-03-26 have no `message`. */
  readonly withMessage: boolean
  readonly sender: Sender
}

/** Sends a request's progress notifications. */
export class ProgressReporter {
  #last = Number.NEGATIVE_INFINITY

  constructor(private readonly options: ProgressOptions) {}

  /** The spec wants `progress` to grow with each notification: an update that does not is left out. */
  report({ progress, total, message }: ProgressUpdate): void {
    if (!Number.isFinite(progress) || progress <= this.#last) return
    this.#last = progress
    const { token, withMessage, sender } = this.options
    const params = {
      progress,
      // JSON has no infinity: it would go out as null, which is no total.
      total: Number.isFinite(total) ? total : undefined,
      message: withMessage && typeof message === 'string' ? message : undefined,
    }
    const members = JSON.stringify(params).slice(1)
    const id = encodeId(token)
    sender.notify(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${id},${members}}`)
  }
}

/**
 * What reports the progress of a request; `null` where its `_meta` asks for none. A token is what an id can be: each
 * notification repeats it.
 */
export function openProgress(token: unknown, withMessage: boolean, sender: Sender): ProgressReporter | null {
  return isRequestId(token) ? new ProgressReporter({ token, withMessage, sender }) : null
}

/** `_meta` for programs, which may write it as JSON: a token that no number holds exactly is a string there. */
export function plainMeta(meta: JsonObject): JsonObject {
  const { progressToken: token } = meta
  return typeof token === 'bigint' ? { ...meta, progressToken: String(token) } : meta
}
