import { spend } from './format-effort.js'

// Each function here, in url-checks and in regex-checks takes a library's check of a format, and returns one that is quick
// whatever the text. Those that take microseconds all the same `spend` them, as measured with the texts that take longest.
// Their formats are listed in `costlyFormats`, so that many texts together are bounded, too.

/** Whether a text is of a format. */
export type IsFormat = (text: string) => boolean

/** Characters: no value of a short format is nearly as long. An email address has at most 254, a host name 253. */
export const maxShort = 1_000

/** Those that may be long, but not megabytes. */
const maxLong = 65_536

export function ifShort(check: IsFormat): IsFormat {
  return (text) => text.length <= maxShort && check(text)
}

export function ifNotTooLong(check: IsFormat): IsFormat {
  return (text) => text.length <= maxLong && check(text)
}

const likeDateTime = /^\d{4}-\d\d-\d\d[t\s][\d:.z+-]*(?:\[|$)/i

/** The libraries split a text at each `T` before they look at it. */
export function checkOfDateTime(check: IsFormat): IsFormat {
  return ifShort((text) => likeDateTime.test(text) && check(text))
}

const notAscii = /[^\0-\x7f]/

/** The library normalizes those beyond ASCII. */
export function checkOfIdnEmail(check: IsFormat): IsFormat {
  return ifShort((text) => {
    if (notAscii.test(text)) spend(text.length / 25)
    return check(text)
  })
}

const labels = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i

/** Those of other characters, also where they are spelt with these (`xn--`), are looked up character by character. */
export function checkOfHostname(check: IsFormat): IsFormat {
  return ifShort((text) => {
    if (text.length <= 253 && !text.includes('--') && labels.test(text)) return true
    spend(1 + text.length * (notAscii.test(text) ? 1 : 0.4))
    return check(text)
  })
}

const notInBase64 = /[^A-Za-z\d+/=\r\n]/

/** Files come as this: a long one takes a plain look, too. With line breaks its length says nothing. */
export function checkOfBase64(check: IsFormat): IsFormat {
  return (text) => {
    if (text.length <= maxShort) return check(text)
    const padding = text.indexOf('=')
    const isWhole = text.length % 4 === 0 || text.includes('\n')
    return isWhole && (padding === -1 || /^==?[\r\n]*$/.test(text.slice(padding))) && !notInBase64.test(text)
  }
}
