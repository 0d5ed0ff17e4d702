import type { ToolDefinition } from '@toolwright/core'

/** Kind of the chunks of a stream: bytes, or JSON. */
export type StreamKind = 'binary' | 'text'

export interface StreamSettings {
  readonly kind: StreamKind
  /** If `undefined`, the limit of the server applies. */
  readonly idleTimeoutMs: number | undefined
  /** If `undefined`, the limit of the server applies. */
  readonly maxBytes: number | undefined
}

const settings = new WeakMap<object, Map<string | symbol, StreamSettings>>()

export function recordStream(prototype: object, method: string | symbol, recorded: StreamSettings): void {
  const methods = settings.get(prototype) ?? new Map<string | symbol, StreamSettings>()
  settings.set(prototype, methods.set(method, recorded))
}

/** Returns the stream settings of a tool; `null` if the tool does not stream. */
export function settingsOf({ source }: Pick<ToolDefinition, 'source'>): StreamSettings | null {
  if (source.kind !== 'method') return null
  // A controller inherits the tools of its base class.
  for (
    let prototype: unknown = source.controller.prototype;
    typeof prototype === 'object' && prototype !== null;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    const found = settings.get(prototype)?.get(source.method)
    if (found !== undefined) return found
  }
  return null
}
