export function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= create())
}
