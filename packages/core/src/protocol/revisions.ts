import { ProtocolError } from '../errors/protocol-error.js'
import { latestVersion } from './latest-version.js'

/**
 * Differences between protocol revisions, as data. Code outside this folder must not refer to revisions by date.
 *
 * *Legacy* revisions have a handshake. *Modern* revisions have all metadata in each request.
 */
export interface Revision {
  readonly version: string
  readonly era: 'legacy' | 'modern'
  readonly batches: boolean
  readonly annotations: boolean
  readonly audio: boolean
  readonly progressMessages: boolean
  readonly completionsCapability: boolean
  readonly titles: boolean
  readonly meta: boolean
  readonly resourceLinks: boolean
  /** Supported structured content and output schemas of tools: none, only objects, or any JSON. */
  readonly structuredContent: 'none' | 'object' | 'any'
  readonly booleanSchemas: boolean
  readonly icons: boolean
  readonly invalidArguments: 'error' | 'result'
  /**
   * Whether event streams of sessions begin with an event without data, and the server is allowed to end a stream before its
   * response.
   */
  readonly priming: boolean
  /** Elicitation support. `basic`: forms without titled or multiple choices, and no mode `url`. */
  readonly elicitation: 'none' | 'basic' | 'full'
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

// Each revision below copies the previous revision, and lists only the changes.

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
  version: latestVersion,
  era: 'modern',
  structuredContent: 'any',
  booleanSchemas: true,
  priming: false,
}

const revisions: readonly Revision[] = [july2026, november2025, june2025, march2025, november2024]

const byVersion = new Map(revisions.map((revision) => [revision.version, revision]))

export const supportedVersions: readonly string[] = revisions.map(({ version }) => version)

export function findRevision(version: string): Revision | undefined {
  return byVersion.get(version)
}

export const latest = july2026

/** Revision of HTTP requests without a version header. Spec: transports, "Protocol Version Header". */
const assumedOverHttp = march2025

export class OfferedRevisions {
  readonly all: readonly Revision[]
  readonly versions: readonly string[]
  /** Versions that a request's `_meta` can name. */
  readonly modern: readonly string[]
  readonly legacy: readonly string[]
  /**
   * Revision that `initialize` returns if the requested version is not offered; `null` if no legacy revision is offered. Spec:
   * lifecycle, "Version Negotiation".
   */
  readonly latestLegacy: Revision | null
  /** The revision of HTTP requests without a version header; `undefined` if that revision is not offered. */
  readonly assumedOverHttp: Revision | undefined
  readonly #byVersion: ReadonlyMap<string, Revision>

  /** @param versions Versions to offer. All must be supported. */
  constructor(versions: readonly string[] = supportedVersions) {
    this.all = revisions.filter(({ version }) => versions.includes(version))
    this.#byVersion = new Map(this.all.map((revision) => [revision.version, revision]))
    this.versions = [...this.#byVersion.keys()]
    this.modern = this.of('modern').map(({ version }) => version)
    this.legacy = this.of('legacy').map(({ version }) => version)
    this.latestLegacy = this.of('legacy')[0] ?? null
    this.assumedOverHttp = this.find('legacy', assumedOverHttp.version)
  }

  of(era: Revision['era']): readonly Revision[] {
    return this.all.filter((revision) => revision.era === era)
  }

  find(era: Revision['era'], version: string): Revision | undefined {
    const revision = this.#byVersion.get(version)
    return revision?.era === era ? revision : undefined
  }
}

export function requireLegacy({ latestLegacy, versions }: OfferedRevisions): Revision {
  if (latestLegacy !== null) return latestLegacy
  throw new ProtocolError('unsupportedProtocolVersion', 'Unsupported protocol version', { supported: versions })
}
