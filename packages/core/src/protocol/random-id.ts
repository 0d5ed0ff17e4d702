const pattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether it may be an id that `randomUUID` made. Nothing else is looked up, or brought to other nodes. */
export function isRandomId(id: unknown): boolean {
  return typeof id === 'string' && pattern.test(id)
}
