import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type AddedTool,
  type FeatureSource,
  listed,
  type McpContext,
  type SourceServer,
  type ToolAnnotations,
  ToolError,
} from '@toolwright/core'
import { Diagnostics } from '@toolwright/core/options'
import { hostName } from './addresses.js'
import { AnswerReader, describeFailure } from './answer.js'
import { credentialsFor } from './credentials.js'
import { detailFor } from './detail.js'
import { Documents, type Download } from './documents.js'
import { DocumentError, RequestError } from './errors.js'
import { Exchange } from './exchange.js'
import { nameTools } from './names.js'
import { type FoundOperation, findOperations, loading, originOf } from './operation.js'
import { type OpenApiOptions, type ReadOpenApiOptions, readOpenApiOptions } from './options.js'
import { checkDocument } from './parse-document.js'
import { type OperationPlan, planOperation } from './plan-operation.js'
import { type Base, buildRequest } from './request.js'
import { includes, selects, unknownNames } from './selectors.js'
import { SendError, Sender } from './send.js'
import { Servers } from './servers.js'

const maxDocumentBytes = 64 * 1024 * 1024

/**
 * Serves the operations of an OpenAPI document as tools. The server calls the API over HTTP.
 *
 * @example
 * sources: [openApi({ document: './shop.yaml', include: { tags: ['orders'] }, auth: 'none' })]
 */
export function openApi(options: OpenApiOptions): FeatureSource {
  const diagnostics = new Diagnostics()
  const read = readOpenApiOptions(options, diagnostics)
  const limits = {
    timeoutMs: read.timeoutMs,
    maxAnswerBytes: read.maxAnswerBytes,
    maxRetries: read.maxRetries,
    maxRedirects: 3,
  }
  const allowed = new Set(read.allowPrivate.map(hostName))
  const sender = new Sender(allowed, limits)
  return {
    name: read.name ?? nameOf(read.document),
    async prepare(server) {
      diagnostics.throwIfAny()
      try {
        await new Import(read, allowed, sender, server).run()
      } catch (error) {
        if (!(error instanceof DocumentError)) throw error
        server.report.problem(error.message)
      }
    },
    close: async () => sender.close(),
  }
}

function nameOf(document: string | URL | object | undefined): string {
  const path = document instanceof URL ? document.pathname : document
  const name = typeof path === 'string' ? basename(path) : ''
  return name === '' ? 'openapi' : name
}

interface Imported {
  readonly operation: FoundOperation
  readonly plan: OperationPlan
  readonly base: Base
}

class Import {
  readonly #options: ReadOpenApiOptions
  readonly #allowed: ReadonlySet<string>
  readonly #sender: Sender
  readonly #server: SourceServer

  constructor(options: ReadOpenApiOptions, allowed: ReadonlySet<string>, sender: Sender, server: SourceServer) {
    this.#options = options
    this.#allowed = allowed
    this.#sender = sender
    this.#server = server
  }

  /** @throws DocumentError if the whole document cannot be used. */
  async run(): Promise<void> {
    const { document, baseUrl, validate, maxTools } = this.#options
    const { catalog } = this.#server
    const documents = await Documents.open(document, this.#options.allowRemote ? this.#download : null)
    const { url } = documents.main
    if (url?.protocol === 'file:') this.#server.report.document(fileURLToPath(url))
    const dialect = checkDocument(documents.main.root, documents.main.label)
    const servers = new Servers(documents, baseUrl, this.#allowed)
    this.#checkOrigins(servers, documents)
    const found = await findOperations(documents, (origin, reason) => this.#leaveOut(origin, reason))
    this.#checkNames(found)
    const included = found.filter((operation) => this.#isIncluded(operation))
    const detail = detailFor(included.length)
    const reading = { documents, dialect, detail, isStrict: validate === 'strict' }
    const imported: Imported[] = []
    for (const operation of included) {
      try {
        const base = servers.baseOf(operation)
        // Loads the documents of one operation after the other: most documents consist of one file.
        // oxlint-disable-next-line no-await-in-loop
        imported.push({ operation, base, plan: await loading(documents, () => planOperation(operation, reading)) })
      } catch (error) {
        if (!(error instanceof DocumentError)) throw error
        this.#leaveOut(originOf(operation), error.message)
      }
    }
    this.#checkCount(imported.length, found.length, documents.main.label)
    if (imported.length > maxTools) return
    const names = nameTools(
      imported.map(({ operation }) => operation),
      this.#options.rename,
      this.#options.prefix ?? '',
    )
    catalog.replace({
      add: { tools: imported.map((one, index) => this.#toTool(names[index] as string, one, servers)) },
    })
  }

  readonly #leftOut: string[] = []

  #leaveOut(origin: string, reason: string): void {
    this.#leftOut.push(`${origin}: ${reason}.`)
    this.#server.report.leftOut(origin, reason)
  }

  #isIncluded(operation: FoundOperation): boolean {
    if (includes(this.#options.include, operation)) return true
    this.#server.report.leftOut(originOf(operation), 'not included')
    return false
  }

  readonly #download: Download = async (url) => {
    const limits = {
      timeoutMs: this.#options.timeoutMs,
      maxAnswerBytes: maxDocumentBytes,
      maxRetries: 2,
      maxRedirects: 3,
    }
    const sender = new Sender(this.#allowed, limits)
    try {
      const request = {
        method: 'GET',
        url,
        headers: { accept: 'application/json, application/yaml, */*;q=0.8' },
        body: null,
      }
      const { status, bytes, isCut } = await sender.send(request, {}, new AbortController().signal)
      if (status !== 200) throw new DocumentError(`'${url.href}' answered ${status}. Give the URL of the document.`)
      if (isCut) throw new DocumentError(`'${url.href}' has more than ${maxDocumentBytes} bytes.`)
      return bytes.toString('utf8')
    } catch (error) {
      if (!(error instanceof SendError)) throw error
      throw new DocumentError(`'${url.href}' cannot be read: ${error.message}.`)
    } finally {
      await sender.close()
    }
  }

  #checkOrigins(servers: Servers, documents: Documents): void {
    const { auth, baseUrl } = this.#options
    const { report } = this.#server
    const checked = [
      ...(baseUrl === undefined ? [] : [['baseUrl', new URL(baseUrl)] as const]),
      ...(auth instanceof Exchange ? [['the tokenEndpoint of exchange', auth.tokenEndpoint] as const] : []),
    ]
    for (const [option, url] of checked) {
      try {
        servers.requireAllowed(url)
      } catch (error) {
        report.problem(`${option}: ${(error as Error).message}.`)
      }
    }
    if (auth === 'none') return
    const origin = servers.trustedOrigin
    if (origin === null) {
      report.problem('auth is given, but the document names no server that could get the credentials. Set baseUrl.')
    } else if (origin.protocol === 'http:' && !this.#allowed.has(hostName(origin.hostname))) {
      report.problem(
        `auth would send credentials to '${origin.origin}' without encryption. Set baseUrl to an https: URL.`,
      )
    }
    if (documents.isRemote && baseUrl === undefined) this.#checkRemoteServer(servers, documents)
  }

  /** The author of a downloaded document must not choose who gets the credentials. */
  #checkRemoteServer(servers: Servers, documents: Documents): void {
    const root = documents.main.root
    const { origin } = servers.baseOf({ raw: root, pathItem: root, document: documents.main })
    if (origin === servers.trustedOrigin?.origin) return
    this.#server.report.problem(
      `auth is given, but the document names '${origin}', which is another origin than its own. Set baseUrl to the API that gets the credentials.`,
    )
  }

  #checkNames(found: readonly FoundOperation[]): void {
    const { include, rules, rename } = this.#options
    const { report } = this.#server
    const selectors = [
      ...(typeof include === 'object' ? [['include', include] as const] : []),
      ...rules.map((rule, index) => [`rules[${index}]`, rule] as const),
      ...(typeof rename === 'object' ? [['rename', { operations: Object.keys(rename) }] as const] : []),
    ]
    for (const [option, selector] of selectors) {
      for (const name of unknownNames(selector, found)) {
        report.problem(`${option} has the ${name}, which the document does not have. Correct it, or remove it.`)
      }
    }
  }

  #checkCount(imported: number, found: number, label: string): void {
    const { maxTools } = this.#options
    const { report } = this.#server
    if (imported > maxTools) {
      report.problem(
        `${imported} operations would become tools, and maxTools is ${maxTools}. A model cannot choose among so many tools: select operations with include, or raise maxTools.`,
      )
    } else if (imported === 0) {
      const reasons = this.#leftOut.slice(0, 5).map((reason) => `\n- ${reason}`)
      const advice = reasons.length > 0 ? `The reasons:${reasons.join('')}` : 'Change the option include.'
      report.problem(`none of the ${found} operations of '${label}' becomes a tool. ${advice}`)
    }
  }

  #toTool(name: string, { operation, plan, base }: Imported, servers: Servers): AddedTool {
    const { auth, rules, validate } = this.#options
    const { log, report } = this.#server
    const origin = originOf(operation)
    const isTrusted = base.origin === servers.trustedOrigin?.origin
    const getsCredentials = auth !== 'none' && isTrusted && !plan.isPublic
    report.added(origin, describeTool(name, plan, auth, getsCredentials, isTrusted))
    const rule = rules.find((candidate) => selects(candidate, operation))
    let isReported = false
    const reader = new AnswerReader(name, plan, validate === 'strict', (reason) => {
      if (isReported) return
      isReported = true
      log.warn({ operation: origin, tool: name, reason }, 'an answer of the API deviates from its document')
    })
    return {
      name,
      description: plan.description,
      annotations: annotationsOf(operation),
      inputSchema: plan.inputSchema,
      ...(plan.output === null ? {} : { outputSchema: listed(plan.output.schema) }),
      ...(rule?.authorize === undefined ? {} : { authorize: rule.authorize }),
      ...(rule?.allowAnonymous === true ? { allowAnonymous: true } : {}),
      handler: async (args: unknown, context: McpContext) => {
        const request = toolErrors(() => buildRequest(plan, base, args as Record<string, unknown>))
        const credentials = getsCredentials ? await credentialsFor(auth, context, operation, this.#sender) : {}
        const started = performance.now()
        try {
          const answer = await this.#sender.send(request, credentials, context.signal)
          const ms = Math.round(performance.now() - started)
          context.log.debug(
            { operation: origin, status: answer.status, bytes: answer.bytes.length, ms },
            'the API was called',
          )
          return reader.read(answer)
        } catch (error) {
          if (!(error instanceof SendError)) throw error
          const ms = Math.round(performance.now() - started)
          context.log.warn(
            { operation: origin, failure: error.failure, reason: error.message, ms },
            'the API gave no answer',
          )
          throw new ToolError(describeFailure(error, operation.method))
        }
      },
    }
  }
}

function toolErrors<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw error instanceof RequestError ? new ToolError(`${error.message}.`) : error
  }
}

function annotationsOf({ method }: FoundOperation): ToolAnnotations {
  if (method === 'GET') return { readOnlyHint: true }
  if (method === 'DELETE') return { destructiveHint: true, idempotentHint: true }
  return method === 'PUT' ? { idempotentHint: true } : {}
}

function describeTool(
  name: string,
  { isPublic, mends }: OperationPlan,
  auth: ReadOpenApiOptions['auth'],
  getsCredentials: boolean,
  isTrusted: boolean,
): string {
  const means = auth instanceof Exchange ? 'exchanged token' : 'auth function'
  const reason = auth === 'none' ? '' : isPublic ? ': the operation is public' : isTrusted ? '' : ': another origin'
  const notes = [getsCredentials ? `credentials: ${means}` : `no credentials${reason}`, ...mends]
  return `tool '${name}' (${notes.join('; ')})`
}
