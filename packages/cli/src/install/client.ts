/**
 * The machine whose configuration is changed. Functions get the machine as a parameter, so that tests can use the paths
 * of other platforms.
 */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly folder: string
  /** Lists the names in a folder; none if the folder does not exist. */
  readonly listFolder: (folder: string) => readonly string[]
}

export interface HttpServer {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export interface StdioServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export type Server = HttpServer | StdioServer

export type Scope = 'user' | 'project'

export interface Client {
  readonly id: string
  readonly title: string
  readonly docs: string
  readonly format: 'json' | 'toml'
  readonly container: string
  /** Absolute path of the configuration in each scope. A client without `project` has no configuration of projects. */
  readonly files: Readonly<Partial<Record<Scope, (machine: Machine) => string>>>
  readonly traces: (machine: Machine) => readonly string[]
  readonly http: (server: HttpServer) => object
  readonly stdio: (server: StdioServer) => object
  /** Whether the client cannot start a batch file on Windows, such as `npx`. */
  readonly needsExecutable?: boolean
  readonly next: string
  /** Condition that must be met before the client uses the configuration of a project. */
  readonly projectNote?: string
}

/** Fields of entries that this command writes. Other fields, such as `disabled` or `timeout`, are kept. */
export const writtenFields: readonly string[] = [
  'type',
  'command',
  'args',
  'env',
  'url',
  'httpUrl',
  'serverUrl',
  'headers',
  'http_headers',
]

/** Fields of entries whose values are never printed. */
export const secretFields: readonly string[] = ['env', 'headers', 'http_headers']

export function entryOf(client: Client, server: Server): object {
  return 'url' in server ? client.http(server) : client.stdio(server)
}

const batchFiles: readonly string[] = ['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'yarnpkg', 'corepack']

/**
 * Returns a server that starts a batch file with the shell, for clients that cannot start batch files on Windows. The
 * configuration of a project is not changed, because it is used on other systems as well.
 */
export function startable(server: Server, client: Client, { platform }: Machine, scope: Scope): Server {
  if ('url' in server || client.needsExecutable !== true || platform !== 'win32' || scope === 'project') return server
  if (!batchFiles.includes(server.command)) return server
  return { ...server, command: 'cmd', args: ['/c', server.command, ...server.args] }
}

/** Returns an object with the member `key`; an empty object if `values` is empty. */
export function optional<Key extends string>(
  key: Key,
  values: Readonly<Record<string, string>>,
): Partial<Record<Key, Readonly<Record<string, string>>>> {
  return Object.keys(values).length === 0 ? {} : ({ [key]: values } as Record<Key, Readonly<Record<string, string>>>)
}
