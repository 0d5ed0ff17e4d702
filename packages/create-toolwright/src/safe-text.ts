import { stripVTControlCharacters } from 'node:util'

const unsafe = /[^\P{Cc}\t\n]|[\u202A-\u202E\u2066-\u2069]/gu

export function safeText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(unsafe, '')
}
