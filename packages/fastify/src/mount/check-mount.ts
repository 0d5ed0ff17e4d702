import { type Diagnostics, type ReadOptions, readOptions } from '@toolwright/core/options'
import type { MountOptions } from '../options.js'
import { mountOptions } from './mount-options.js'

export function readMountOptions(given: MountOptions, diagnostics: Diagnostics): ReadOptions<typeof mountOptions> {
  const options = readOptions(mountOptions, given, '', diagnostics)
  if (given.allowedOrigins === options.allowedOrigins) checkPages(options, diagnostics)
  return options
}

function checkPages(options: ReadOptions<typeof mountOptions>, diagnostics: Diagnostics): void {
  const { cors, allowedOrigins = [], allowedHosts } = options
  if (cors === false) return
  const report = (message: string): void => diagnostics.add('bad-option', message)
  // Without `allowedHosts`, only pages from this machine may call.
  const namesNoHost = allowedHosts?.every((host) => host === '*') === true
  if (allowedOrigins.length === 0 && namesNoHost) {
    report(
      "cors is on, but no web page may call. List the origins of your web pages: `allowedOrigins: ['https://app.example.com']`.",
    )
  }
  if (cors !== true && cors.credentials === true && allowedOrigins.includes('*')) {
    const why = 'every web page could send requests with the cookies of its visitors'
    report(`cors.credentials is on and allowedOrigins has '*': ${why}. Name the origins, or leave out credentials.`)
  }
}
