/** Saves a file from the page. The link is never in the document, so a result cannot contain one like it. */
export function save(name: string, parts: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([parts], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Saves base64, such as a picture. */
export function saveBase64(name: string, data: string, type: string): void {
  const text = atob(data.replaceAll('-', '+').replaceAll('_', '/').replaceAll(/\s/g, ''))
  save(
    name,
    Uint8Array.from(text, (character) => character.charCodeAt(0)),
    type,
  )
}
