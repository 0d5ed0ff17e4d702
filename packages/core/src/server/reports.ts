import type { RequestedFeature } from '../authorization/policy.js'
import type { Catalog } from '../catalog/catalog.js'
import type { LeftOut } from '../catalog/scan/list-modules.js'
import type { ScannedModule } from '../catalog/scan/scan-modules.js'
import type { TransportName } from '../context/viewer.js'
import type { McpServer } from './mcp-server.js'
import type { ExplainedSource } from './sources/source-report.js'

/** One served feature, and the sources of its handler's parameters. */
export interface ExplainedFeature {
  /** The name of a tool or prompt, the URI or template of a resource, or the key of a completion. */
  readonly name: string
  /** The handler, such as `CalculatorTools.add`. */
  readonly from: string
  /** The source of each parameter, in order. */
  readonly parameters: readonly string[]
  /** The transports that serve the feature; `null`: all. */
  readonly transports: readonly TransportName[] | null
  readonly tags: readonly string[]
  /** Whether the feature is shown. `by caller`: `enabled` functions decide. `no (option)`: `enabled` is `false`. */
  readonly enabled: 'yes' | 'by caller' | 'no (option)' | 'no (catalog.disable)'
}

/** One served tool, with its input and output. */
export interface ExplainedTool extends ExplainedFeature {
  /** The arguments: `a, b`, or `SumInput (a, b)` for a `Model` class. */
  readonly input: string
  /** The JSON type of the results: `object`, or `text (no output schema)`. */
  readonly output: string
}

/** A report of the served features, the scanned modules, and the files that were left out. `String(report)` formats it. */
export interface CatalogReport {
  readonly tools: readonly ExplainedTool[]
  readonly prompts: readonly ExplainedFeature[]
  /** Resources with a fixed URI, and templates. */
  readonly resources: readonly ExplainedFeature[]
  readonly completions: readonly ExplainedFeature[]
  readonly modules: readonly ScannedModule[]
  /** Files and folders that the scan left out, such as tests, mocks and broken links. */
  readonly leftOut: readonly LeftOut[]
  /** For each source, the origins of its features, and what it left out. */
  readonly sources: readonly ExplainedSource[]
  /** Messages about classes that are not served, but probably should be. */
  readonly hints: readonly string[]
  /** Messages about resources that match the same URIs but have different rules, and about unreachable resources. */
  readonly overlaps: readonly string[]
  /** Messages about schemas that can take long to validate, each with the fix. */
  readonly slowSchemas: readonly string[]
  /** Names of tools without a description. Models choose tools by their descriptions. */
  readonly undescribed: readonly string[]
  toString(): string
}

export interface MatrixOptions {
  /** Roles to compare. Default: all roles of all rules, in lower case. */
  readonly roles?: readonly string[]
  /** Scopes to compare. Default: all scopes of all rules. */
  readonly scopes?: readonly string[]
}

/** A caller: one column of the matrix. */
export interface MatrixCaller {
  /**
   * `anonymous`, `authenticated`, or the roles and scopes of the caller, such as `Admin + tools:write`. A role and a scope with
   * the same name have a prefix: `role admin`, `scope admin`.
   */
  readonly name: string
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
}

/**
 * `callable`: the caller is allowed to use the feature. `listed`: a policy decides on each call. `needs step-up`: the caller is
 * allowed to use the feature after the missing scopes are granted. `hidden`: lists leave the feature out, and calls are rejected,
 * because of a rule, `enabled` or `catalog.disable`.
 */
export type AccessOutcome = 'hidden' | 'listed' | 'callable' | 'needs step-up'

/** One row of the matrix: a feature, and the access of each caller by name. */
export interface MatrixRow {
  readonly kind: RequestedFeature['kind']
  /** The name of a tool or prompt, the URI or template of a resource, or the key of a completion. */
  readonly name: string
  readonly access: Readonly<Record<string, AccessOutcome>>
}

/** The access of callers to features. `String(matrix)` formats the matrix as a table, which tests can compare with a snapshot. */
export interface AuthorizationMatrix {
  readonly callers: readonly MatrixCaller[]
  /** Tools, prompts, resources, templates and completions, each kind in the order of its lists. */
  readonly rows: readonly MatrixRow[]
  toString(): string
}

export interface ServerReports {
  explain(catalog: Catalog, boot: Pick<CatalogReport, 'modules' | 'leftOut' | 'hints' | 'sources'>): CatalogReport
  authorizationMatrix(catalog: Catalog, options: MatrixOptions): AuthorizationMatrix
  /**
   * Logs probable mistakes that do not prevent the start.
   *
   * @param boot `defaultPageSize`: entries on one page of a list; `null` if the application has chosen the number.
   */
  warn(
    server: McpServer,
    boot: { readonly modules: readonly ScannedModule[]; readonly defaultPageSize: number | null },
  ): void
}

const missing = (): never => {
  throw new Error('Reports are part of @toolwright/server. Create the server with createServer of this package.')
}

export const noReports: ServerReports = { explain: missing, authorizationMatrix: missing, warn: () => undefined }
