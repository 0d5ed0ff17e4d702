import { describeValue } from '../../errors/describe-value.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import { shorten } from '../../errors/protocol-error.js'

/** Spec: server/tools, "Tool Names". Used for prompts, too. */
const validName = /^[A-Za-z0-9_.-]{1,128}$/

/** @param kind `tool` or `prompt`, for the message. */
export function checkName(kind: string, name: unknown, origin: string, diagnostics: Diagnostics): void {
  const isText = typeof name === 'string'
  if (isText && validName.test(name)) return
  const found = isText ? `'${shorten(name)}'` : describeValue(name)
  const message = `${origin}: ${found} is not a valid ${kind} name. Use 1 to 128 of the characters A-Z a-z 0-9 _ . -`
  diagnostics.add('bad-name', message)
}
