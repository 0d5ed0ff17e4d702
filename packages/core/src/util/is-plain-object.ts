/** Whether the object has no class. An object of another realm is plain, too: its prototype is that realm's `Object.prototype`. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
