/** Splits a URI, or the text of a URI template, after its scheme. */
const scheme = /^([A-Za-z][A-Za-z0-9+.-]*:)(\/\/)?(.*)$/s

/** Schemes of URIs that clients fetch without a server. These URIs have the same meaning everywhere. */
const absolute = new Set(['http:', 'https:', 'data:', 'mailto:'])

/**
 * Maps the URIs of an upstream to URIs of this server, and back: `ui://forecast` becomes `ui://weather/forecast`, and
 * `notes:all` becomes `notes:weather/all`. The scheme stays, because hosts need it. URIs that a client can fetch itself stay,
 * too.
 */
export class UriMap {
  /** @param segment Name of the upstream; `null`: all URIs stay. */
  constructor(private readonly segment: string | null) {}

  /** Returns the URI of this server. Text without a scheme stays the same. */
  toFront(uri: string): string {
    const [, start = '', slashes = '', rest = ''] = scheme.exec(uri) ?? []
    return this.segment === null || start === '' || absolute.has(start.toLowerCase())
      ? uri
      : `${start}${slashes}${this.segment}/${rest}`
  }

  /** Returns the URI of the upstream. A URI without the name of the upstream stays the same. */
  toUpstream(uri: string): string {
    const [, start = '', slashes = '', rest = ''] = scheme.exec(uri) ?? []
    const mark = `${this.segment}/`
    if (this.segment === null || absolute.has(start.toLowerCase()) || !rest.startsWith(mark)) return uri
    return `${start}${slashes}${rest.slice(mark.length)}`
  }
}

/** Whether a template begins with a scheme, so that a {@link UriMap} can map it. */
export function hasScheme(uri: string): boolean {
  return scheme.test(uri)
}
