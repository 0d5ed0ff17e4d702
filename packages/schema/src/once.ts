/** Returns a function that creates a value for its first call, and returns the same value for later calls. */
export function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= create())
}
