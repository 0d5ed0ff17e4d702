import { randomBytes } from 'node:crypto'

export interface FormPart {
  readonly name: string
  readonly content: string | Uint8Array
  /** `null`: text without a type. */
  readonly contentType: string | null
  /** `null`: the part is no file. */
  readonly fileName: string | null
}

/** Writes `multipart/form-data`. RFC 7578; names are escaped as browsers do. */
export function encodeMultipart(parts: readonly FormPart[]): {
  readonly contentType: string
  readonly body: Uint8Array
} {
  const boundary = `toolwright-${randomBytes(18).toString('hex')}`
  const chunks = parts.flatMap(({ name, content, contentType, fileName }) => {
    const file = fileName === null ? '' : `; filename="${escapeName(fileName)}"`
    const type = contentType === null ? '' : `Content-Type: ${contentType}\r\n`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"${file}\r\n${type}\r\n`
    return [Buffer.from(head), Buffer.from(content as Uint8Array), Buffer.from('\r\n')]
  })
  const body = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
  return { contentType: `multipart/form-data; boundary=${boundary}`, body }
}

function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
