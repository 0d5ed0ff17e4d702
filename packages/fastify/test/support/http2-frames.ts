// HTTP/2 frames (RFC 9113) for a case that client libraries do not support: everything in one packet.

const types = { data: 0x0, headers: 0x1, resetStream: 0x3, settings: 0x4 } as const
const flags = { none: 0x0, endStream: 0x1, endHeaders: 0x4 } as const

/** CANCEL of RFC 9113, section 7. */
const cancel = 0x8

/** All bytes of a client's connection: a request on stream 1, and at once its reset. */
export function requestAndReset(headers: Readonly<Record<string, string>>, body: string): Buffer {
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(types.settings, flags.none, 0, Buffer.alloc(0)),
    frame(types.headers, flags.endHeaders, 1, encodeHeaders(headers)),
    frame(types.data, flags.endStream, 1, Buffer.from(body)),
    frame(types.resetStream, flags.none, 1, uint32(cancel)),
  ])
}

function frame(type: number, flag: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flag, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A header in HPACK without tables and Huffman codes (RFC 7541, section 6.2.2). */
function encodeHeaders(headers: Readonly<Record<string, string>>): Buffer {
  const fields = Object.entries(headers).map(([name, value]) =>
    Buffer.concat([Buffer.from([0]), encodeText(name), encodeText(value)]),
  )
  return Buffer.concat(fields)
}

/** At most 126 bytes: a longer string would need a longer length. */
function encodeText(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
