/**
 * What differs between protocol revisions, as data. Nothing outside this folder knows a revision by its date.
 *
 * *Legacy* revisions have a handshake; *modern* ones say everything in each request.
 */
export interface Revision {
  readonly version: string
  readonly era: 'legacy' | 'modern'
  /** JSON-RPC batches are accepted. */
  readonly batches: boolean
  /** Tools have `annotations`. */
  readonly annotations: boolean
  /** There is audio content. */
  readonly audio: boolean
  /** Progress has a `message`. */
  readonly progressMessages: boolean
  /** There is a capability for completions. */
  readonly completionsCapability: boolean
  /** What lists name has a `title`, and so has the server. */
  readonly titles: boolean
  /** What is listed, results and contents of resources have a `_meta` of the application's. */
  readonly meta: boolean
  /** There is content that links to a resource. */
  readonly resourceLinks: boolean
  /** Tools have output schemas and structured content: of objects only, or of any JSON. */
  readonly structuredContent: 'none' | 'object' | 'any'
  /** The schema of an argument, or of a member of a result, may be `true` or `false`. */
  readonly booleanSchemas: boolean
  /** Tools and servers have `icons`; servers have `description` and `websiteUrl`. */
  readonly icons: boolean
  /** How a client hears of arguments that do not fit: as an error of the protocol, or as a result for the model. */
  readonly invalidArguments: 'error' | 'result'
  /** Event streams of sessions begin with an event without data, and the server may end one before its answer. */
  readonly priming: boolean
  /** Clients can be asked with forms: `basic` ones have no titled or multiple choices, and there are no web pages. */
  readonly elicitation: 'none' | 'basic' | 'full'
  /** Sampling has modes that clients declare (tools, context), and messages of several content blocks. */
  readonly samplingModes: boolean
}

/** Every revision that is served, newest first. */
export const revisions: readonly Revision[] = [
  {
    version: '2026-07-28',
    era: 'modern',
    batches: false,
    annotations: true,
    audio: true,
    progressMessages: true,
    completionsCapability: true,
    titles: true,
    meta: true,
    resourceLinks: true,
    structuredContent: 'any',
    booleanSchemas: true,
    icons: true,
    invalidArguments: 'result',
    priming: false,
    elicitation: 'full',
    samplingModes: true,
  },
  {
    version: '2025-11-25',
    era: 'legacy',
    batches: false,
    annotations: true,
    audio: true,
    progressMessages: true,
    completionsCapability: true,
    titles: true,
    meta: true,
    resourceLinks: true,
    structuredContent: 'object',
    booleanSchemas: false,
    icons: true,
    invalidArguments: 'result',
    priming: true,
    elicitation: 'full',
    samplingModes: true,
  },
  {
    version: '2025-06-18',
    era: 'legacy',
    batches: false,
    annotations: true,
    audio: true,
    progressMessages: true,
    completionsCapability: true,
    titles: true,
    meta: true,
    resourceLinks: true,
    structuredContent: 'object',
    booleanSchemas: false,
    icons: false,
    invalidArguments: 'error',
    priming: false,
    elicitation: 'basic',
    samplingModes: false,
  },
  {
    version: '2025-03-26',
    era: 'legacy',
    batches: true,
    annotations: true,
    audio: true,
    progressMessages: true,
    completionsCapability: true,
    titles: false,
    meta: false,
    resourceLinks: false,
    structuredContent: 'none',
    booleanSchemas: false,
    icons: false,
    invalidArguments: 'error',
    priming: false,
    elicitation: 'none',
    samplingModes: false,
  },
  {
    version: '2024-11-05',
    era: 'legacy',
    batches: false,
    annotations: false,
    audio: false,
    progressMessages: false,
    completionsCapability: false,
    titles: false,
    meta: false,
    resourceLinks: false,
    structuredContent: 'none',
    booleanSchemas: false,
    icons: false,
    invalidArguments: 'error',
    priming: false,
    elicitation: 'none',
    samplingModes: false,
  },
]

const byVersion = new Map(revisions.map((revision) => [revision.version, revision]))

/** Every version that is served, newest first. */
export const supportedVersions: readonly string[] = revisions.map(({ version }) => version)

/** Versions that a request's `_meta` can name, newest first. */
export const modernVersions: readonly string[] = revisions
  .filter(({ era }) => era === 'modern')
  .map(({ version }) => version)

/** Versions that `initialize` can agree on, newest first. */
export const legacyVersions: readonly string[] = revisions
  .filter(({ era }) => era === 'legacy')
  .map(({ version }) => version)

export function findRevision(version: string): Revision | undefined {
  return byVersion.get(version)
}

/** The newest of all. */
export const latest = revisions[0] as Revision

/** What `initialize` answers to a version that is not served. Spec: lifecycle, "Version Negotiation". */
export const latestLegacy = byVersion.get('2025-11-25') as Revision

/** What an HTTP request without a version header is taken for. Spec: transports, "Protocol Version Header". */
export const assumedOverHttp = byVersion.get('2025-03-26') as Revision
