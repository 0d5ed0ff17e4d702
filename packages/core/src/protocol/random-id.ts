const pattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a value has the format of `randomUUID`. Other ids are neither looked up nor forwarded. */
export function isRandomId(id: unknown): boolean {
  return typeof id === 'string' && pattern.test(id)
}
