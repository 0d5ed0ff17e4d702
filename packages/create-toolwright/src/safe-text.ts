import { stripVTControlCharacters } from 'node:util'

/** Control characters other than tabs and line ends, and characters that reverse the direction of text. */
const unsafe = /[^\P{Cc}\t\n]|[\u202A-\u202E\u2066-\u2069]/gu

/** Removes control characters, which a server could use to change the display of the terminal. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(unsafe, '')
}
