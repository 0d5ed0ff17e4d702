/** Second parts of the names of notifications that belong to the protocol. */
const reserved = new Set(
  'cancelled elicitation initialized message progress prompts resources roots subscriptions tasks tools'.split(' '),
)

const ownName = /^notifications\/[\w.-]+(?:\/[\w.-]+)*$/

/** Returns the reason why an application cannot send a notification of this name, and the fix; `null` if it can. */
export function rejectName(method: unknown): string | null {
  const fix = "Give a name such as 'notifications/acme/price'."
  if (typeof method !== 'string' || method.length > 128 || !ownName.test(method)) return `is not a valid name. ${fix}`
  return reserved.has(method.split('/')[1] as string) ? `belongs to the protocol. ${fix}` : null
}
