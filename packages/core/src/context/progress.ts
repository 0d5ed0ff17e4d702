import { type ExactId, encodeId, isRequestId, type JsonObject } from '../rpc/messages.js'

/** Progress of a call. `progress` must increase; `total` is optional. */
export interface ProgressUpdate {
  readonly progress: number
  readonly total?: number | undefined
  /** Message for the user. From 2025-03-26 on. */
  readonly message?: string | undefined
}

/** Sends notifications of a request before its response. */
export interface Sender {
  notify(json: string): void
}

/** Receives the progress of a call. */
export interface ProgressListener {
  report(update: ProgressUpdate): void
}

interface ProgressOptions {
  readonly token: ExactId
  /** Whether notifications have a `message`: only from 2025-03-26 on. */
  readonly withMessage: boolean
  readonly sender: Sender
}

class ProgressReporter implements ProgressListener {
  #last = Number.NEGATIVE_INFINITY

  constructor(private readonly options: ProgressOptions) {}

  /** Sends an update. Drops it if `progress` does not increase, as the spec requires. */
  report({ progress, total, message }: ProgressUpdate): void {
    if (!Number.isFinite(progress) || progress <= this.#last) return
    this.#last = progress
    const { token, withMessage, sender } = this.options
    const params = {
      progress,
      // JSON has no infinity. It would be sent as `null`, which is not a valid total.
      total: Number.isFinite(total) ? total : undefined,
      message: withMessage && typeof message === 'string' ? message : undefined,
    }
    const members = JSON.stringify(params).slice(1)
    const id = encodeId(token)
    sender.notify(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${id},${members}}`)
  }
}

/**
 * Creates the reporter of a request's progress; `null` if its `_meta` has no valid progress token. Tokens have the same
 * limits as ids, because each notification repeats them.
 */
export function openProgress(token: unknown, withMessage: boolean, sender: Sender): ProgressListener | null {
  return isRequestId(token) ? new ProgressReporter({ token, withMessage, sender }) : null
}

/** Converts `_meta` for application code, which may serialize it: an unsafe integer token becomes a string. */
export function plainMeta(meta: JsonObject): JsonObject {
  const { progressToken: token } = meta
  return typeof token === 'bigint' ? { ...meta, progressToken: String(token) } : meta
}
