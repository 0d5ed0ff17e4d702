/**
 * Differences between protocol revisions, as data. Code outside this folder does not refer to revisions by date.
 *
 * *Legacy* revisions have a handshake. *Modern* revisions have all metadata in each request.
 */
export interface Revision {
  readonly version: string
  readonly era: 'legacy' | 'modern'
  /** Whether JSON-RPC batches are accepted. */
  readonly batches: boolean
  /** Whether tools have `annotations`. */
  readonly annotations: boolean
  /** Whether audio content exists. */
  readonly audio: boolean
  /** Whether progress notifications have a `message`. */
  readonly progressMessages: boolean
  /** Whether there is a capability for completions. */
  readonly completionsCapability: boolean
  /** Whether list entries and the server have a `title`. */
  readonly titles: boolean
  /** Whether list entries, results and content have `_meta` of the application, and annotations `lastModified`. */
  readonly meta: boolean
  /** Whether content can link to a resource. */
  readonly resourceLinks: boolean
  /** Structured content and output schemas of tools: only objects, or any JSON. */
  readonly structuredContent: 'none' | 'object' | 'any'
  /** Whether the schema of an argument or of a member of a result may be `true` or `false`. */
  readonly booleanSchemas: boolean
  /** Whether tools and servers have `icons`, and servers `description` and `websiteUrl`. */
  readonly icons: boolean
  /** Format for invalid arguments: a protocol error, or a result for the model. */
  readonly invalidArguments: 'error' | 'result'
  /**
   * Whether event streams of sessions begin with an event without data, and the server may end a stream before its
   * response.
   */
  readonly priming: boolean
  /** Forms in client requests. `basic`: without titled or multiple choices, and without web pages. */
  readonly elicitation: 'none' | 'basic' | 'full'
  /** Whether clients declare modes of sampling (tools, context), and messages can have several content blocks. */
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

// Each later revision is the previous one with its changes.

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

/** All supported revisions, newest first. */
export const revisions: readonly Revision[] = [july2026, november2025, june2025, march2025, november2024]

const byVersion = new Map(revisions.map((revision) => [revision.version, revision]))

/** All supported versions, newest first. */
export const supportedVersions: readonly string[] = revisions.map(({ version }) => version)

/** Versions that a request's `_meta` can name, newest first. */
export const modernVersions = versionsOf('modern')

/** Versions that `initialize` can negotiate, newest first. */
export const legacyVersions = versionsOf('legacy')

function versionsOf(era: Revision['era']): readonly string[] {
  return revisions.filter((revision) => revision.era === era).map(({ version }) => version)
}

export function findRevision(version: string): Revision | undefined {
  return byVersion.get(version)
}

export const latest = july2026

/** The answer of `initialize` to an unsupported version. Spec: lifecycle, "Version Negotiation". */
export const latestLegacy = november2025

/** Default for HTTP requests without a version header. Spec: transports, "Protocol Version Header". */
export const assumedOverHttp = march2025
