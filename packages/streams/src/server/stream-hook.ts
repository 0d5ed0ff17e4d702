import { type CallHook, type FeatureCall, ToolError } from '@toolwright/core'
import { channelOf } from './channels.js'

/** Rejects calls of a stream tool that have no stream. Also records the returned value for the summary. */
export class StreamHook implements CallHook {
  onInvoking({ name, context }: FeatureCall): void {
    if (channelOf(context) !== undefined) return
    throw new ToolError(
      `Tool '${name}' needs a stream. Send it a 'start' message over the WebSocket of the server, ` +
        'or use client.stream of @toolwright/client.',
    )
  }

  onCompleted({ context }: FeatureCall, result: unknown): void {
    channelOf(context)?.returned(result)
  }
}
