/** How an MCP client logs in, as far as servers notice a difference. */
export interface LoginClient {
  /** Value of `--as`. */
  readonly name: string
  readonly title: string
  /** Redirect URIs of its registration. */
  readonly redirectUris: readonly string[]
  /** Redirect URI of its authorization requests. */
  readonly redirectUri: string
  /** Redirect URI of later logins, for a client that then listens on another port of the user's machine. */
  readonly laterRedirectUri?: string
  /** URL of its metadata, which the client uses as its id if the server accepts this; `null` if each connection has another URL. */
  readonly document: string | null
  /** Redirect URI of the authorization requests with this id. */
  readonly documentRedirectUri?: string
  /** Whether `resource` has to be the exact URL, or may be a parent of it. */
  readonly resource: 'exact' | 'parent'
  /** Whether an issuer that differs from its URL by a slash ends the login. */
  readonly rejectsSlash: boolean
  /** Whether the client works without `code_challenge_methods_supported`. */
  readonly needsPkceMethods: boolean
  /** Whether the client requests the scopes of the authorization server, instead of those of the resource. */
  readonly requestsServerScopes: boolean
}

const usual = {
  resource: 'parent',
  rejectsSlash: false,
  needsPkceMethods: true,
  requestsServerScopes: false,
} as const

/** The clients, as public reports and their sources describe them in November 2026. */
export const loginClients: readonly LoginClient[] = [
  {
    ...usual,
    name: 'claude',
    title: 'Claude',
    redirectUris: ['https://claude.ai/api/mcp/auth_callback'],
    redirectUri: 'https://claude.ai/api/mcp/auth_callback',
    document: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
  },
  {
    ...usual,
    name: 'claude-code',
    title: 'Claude Code',
    redirectUris: ['http://localhost:53118/callback'],
    redirectUri: 'http://localhost:53118/callback',
    laterRedirectUri: 'http://localhost:53119/callback',
    document: 'https://claude.ai/oauth/claude-code-client-metadata',
    documentRedirectUri: 'http://localhost:53118/callback',
  },
  {
    ...usual,
    name: 'chatgpt',
    title: 'ChatGPT',
    redirectUris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    redirectUri: 'https://chatgpt.com/connector_platform_oauth_redirect',
    document: null,
  },
  {
    ...usual,
    name: 'vscode',
    title: 'VS Code',
    redirectUris: [
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
    redirectUri: 'http://127.0.0.1:33418/',
    laterRedirectUri: 'http://127.0.0.1:53119/',
    document: 'https://vscode.dev/oauth/client-metadata.json',
    documentRedirectUri: 'http://127.0.0.1:33418/',
    resource: 'exact',
    needsPkceMethods: false,
  },
  {
    ...usual,
    name: 'cursor',
    title: 'Cursor',
    redirectUris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
    redirectUri: 'cursor://anysphere.cursor-mcp/oauth/callback',
    document: null,
  },
  {
    ...usual,
    name: 'codex',
    title: 'Codex',
    redirectUris: ['http://127.0.0.1:53120/callback'],
    redirectUri: 'http://127.0.0.1:53120/callback',
    laterRedirectUri: 'http://127.0.0.1:53121/callback',
    document: 'https://chatgpt.com/oauth/codex/client.json',
    documentRedirectUri: 'http://127.0.0.1:53121/callback',
    rejectsSlash: true,
    requestsServerScopes: true,
  },
]
