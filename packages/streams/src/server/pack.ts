/** JSON that waits for the tool. As objects, `[{},{},…]` takes twenty times as much memory. */
class PackedJson {
  constructor(readonly text: string) {}
}

export function packJson(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? new PackedJson(JSON.stringify(value)) : value
}

export function unpackJson(packed: unknown): unknown {
  return packed instanceof PackedJson ? JSON.parse(packed.text) : packed
}

/** Copies bytes that keep much more memory alive, because they arrived together with other frames. */
export function packBytes(bytes: unknown): unknown {
  const { buffer, length } = bytes as Buffer
  if (buffer.byteLength <= 2 * length + 1024) return bytes
  const copy = Buffer.allocUnsafeSlow(length)
  copy.set(bytes as Buffer)
  return copy
}
