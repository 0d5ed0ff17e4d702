import { spend } from './format-effort.js'

// Each function here, in url-checks and in regex-checks wraps a library's check of a format, so that it is fast for any
// string. A check that still takes microseconds reports them with `spend`; the figures were measured with the slowest
// strings. Their formats are listed in `costlyFormats`, so that many strings together are limited, too.

/** Checks whether a string has a format. */
export type IsFormat = (text: string) => boolean

/**
 * Maximum length of short formats in characters, with a wide margin: an email address has at most 254, a host name 253.
 */
export const maxShort = 1_000

/** Maximum length of formats that may be long, but not megabytes. */
const maxLong = 65_536

export function ifShort(check: IsFormat): IsFormat {
  return (text) => text.length <= maxShort && check(text)
}

export function ifNotTooLong(check: IsFormat): IsFormat {
  return (text) => text.length <= maxLong && check(text)
}

const likeDateTime = /^\d{4}-\d\d-\d\d[t\s][\d:.z+-]*(?:\[|$)/i

/** Checks the shape first, because the libraries split a string at each `T`. */
export function checkOfDateTime(check: IsFormat): IsFormat {
  return ifShort((text) => likeDateTime.test(text) && check(text))
}

const notAscii = /[^\0-\x7f]/

/** The library normalizes non-ASCII strings. */
export function checkOfIdnEmail(check: IsFormat): IsFormat {
  return ifShort((text) => {
    if (notAscii.test(text)) spend(text.length / 25)
    return check(text)
  })
}

const labels = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i

/** Checks a host name. The libraries look up non-ASCII names character by character, also in their `xn--` form. */
export function checkOfHostname(check: IsFormat): IsFormat {
  return ifShort((text) => {
    if (text.length <= 253 && !text.includes('--') && labels.test(text)) return true
    spend(1 + text.length * (notAscii.test(text) ? 1 : 0.4))
    return check(text)
  })
}

const notInBase64 = /[^A-Za-z\d+/=\r\n]/

/** Checks base64. Long strings, such as files, are only scanned. With line breaks the length has no meaning. */
export function checkOfBase64(check: IsFormat): IsFormat {
  return (text) => {
    if (text.length <= maxShort) return check(text)
    const padding = text.indexOf('=')
    const isWhole = text.length % 4 === 0 || text.includes('\n')
    return isWhole && (padding === -1 || /^==?[\r\n]*$/.test(text.slice(padding))) && !notInBase64.test(text)
  }
}
