/** Requests whose handlers may ask their client. Spec: basic/mrtr, "Supported Requests". */
export const askingMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** @throws Error for a handler that cannot ask: a mistake of its author, not of the client. */
export function checkAsks(method: string): void {
  if (!askingMethods.has(method))
    throw new Error(`Only tools, prompts and resources can ask their client, not ${method}.`)
}
