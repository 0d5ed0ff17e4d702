import { type ExactId, encodeId, isRequestId, type JsonObject } from '../rpc/messages.js'

/** Progress of a call. `progress` must increase; `total` is optional. */
export interface ProgressUpdate {
  readonly progress: number
  readonly total?: number | undefined
  /** Message for the user. Sent from 2025-03-26 on. */
  readonly message?: string | undefined
}

/** Sends the notifications that belong to a request, until the server responds to the request. */
export interface Sender {
  notify(json: string): void
}

export interface ProgressListener {
  report(update: ProgressUpdate): void
}

class ProgressReporter implements ProgressListener {
  #last = Number.NEGATIVE_INFINITY

  /** @param withMessage Whether notifications have a `message`, as in revisions from 2025-03-26 on. */
  constructor(
    private readonly token: ExactId,
    private readonly withMessage: boolean,
    private readonly sender: Sender,
  ) {}

  /** Sends an update. Drops an update whose `progress` does not increase, as the spec requires. */
  report({ progress, total, message }: ProgressUpdate): void {
    if (!Number.isFinite(progress) || progress <= this.#last) return
    this.#last = progress
    const params = {
      progress,
      // JSON cannot express infinity: it would be sent as `null`, which is not a valid total.
      total: Number.isFinite(total) ? total : undefined,
      message: this.withMessage && typeof message === 'string' ? message : undefined,
    }
    const members = JSON.stringify(params).slice(1)
    const token = encodeId(this.token)
    this.sender.notify(
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},${members}}`,
    )
  }
}

/**
 * Creates the reporter of a request's progress; `null` if the request has no valid progress token in `_meta`. Tokens have the
 * same limits as ids, because each notification repeats the token.
 */
export function openProgress(token: unknown, withMessage: boolean, sender: Sender): ProgressListener | null {
  return isRequestId(token) ? new ProgressReporter(token, withMessage, sender) : null
}

/**
 * Converts `_meta` for application code, which could serialize it. If the progress token is an unsafe integer, it becomes a
 * string.
 */
export function plainMeta(meta: JsonObject): JsonObject {
  const { progressToken: token } = meta
  return typeof token === 'bigint' ? { ...meta, progressToken: String(token) } : meta
}
