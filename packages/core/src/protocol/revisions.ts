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
  /** What is listed, results and all content have a `_meta` of the application's, and annotations a `lastModified`. */
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

const november2024: Revision = {
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
}

// Each of the others is the one before it, and what came or went with it.

const march2025: Revision = {
  ...november2024,
  version: '2025-03-26',
  batches: true,
  annotations: true,
  audio: true,
  progressMessages: true,
  completionsCapability: true,
}

const june2025: Revision = {
  ...march2025,
  version: '2025-06-18',
  batches: false,
  titles: true,
  meta: true,
  resourceLinks: true,
  structuredContent: 'object',
  elicitation: 'basic',
}

const november2025: Revision = {
  ...june2025,
  version: '2025-11-25',
  icons: true,
  invalidArguments: 'result',
  priming: true,
  elicitation: 'full',
  samplingModes: true,
}

const july2026: Revision = {
  ...november2025,
  version: '2026-07-28',
  era: 'modern',
  structuredContent: 'any',
  booleanSchemas: true,
  priming: false,
}

/** Every revision that is served, newest first. */
export const revisions: readonly Revision[] = [july2026, november2025, june2025, march2025, november2024]

const byVersion = new Map(revisions.map((revision) => [revision.version, revision]))

/** Every version that is served, newest first. */
export const supportedVersions: readonly string[] = revisions.map(({ version }) => version)

/** Versions that a request's `_meta` can name, newest first. */
export const modernVersions = versionsOf('modern')

/** Versions that `initialize` can agree on, newest first. */
export const legacyVersions = versionsOf('legacy')

function versionsOf(era: Revision['era']): readonly string[] {
  return revisions.filter((revision) => revision.era === era).map(({ version }) => version)
}

export function findRevision(version: string): Revision | undefined {
  return byVersion.get(version)
}

/** The newest of all. */
export const latest = july2026

/** What `initialize` answers to a version that is not served. Spec: lifecycle, "Version Negotiation". */
export const latestLegacy = november2025

/** What an HTTP request without a version header is taken for. Spec: transports, "Protocol Version Header". */
export const assumedOverHttp = march2025
