/**
 * All errors on the wire: the JSON-RPC code, and the HTTP status for modern clients.
 *
 * The spec reserves -32020 to -32099, and forbids new codes from -32019 to -32000, so the framework adds no error codes.
 * `docs/reference/errors.md` lists the same rows; a test compares both lists.
 */
export const wireErrors = {
  parseError: { code: -32700, status: 400 },
  invalidRequest: { code: -32600, status: 400 },
  unauthorized: { code: -32600, status: 401 },
  forbidden: { code: -32600, status: 403 },
  methodNotAllowed: { code: -32600, status: 405 },
  notAcceptable: { code: -32600, status: 406 },
  bodyTooLarge: { code: -32600, status: 413 },
  unsupportedMediaType: { code: -32600, status: 415 },
  rateLimited: { code: -32600, status: 429 },
  sessionNotFound: { code: -32600, status: 404 },
  methodNotFound: { code: -32601, status: 404 },
  invalidParams: { code: -32602, status: 200 },
  invalidMeta: { code: -32602, status: 400 },
  resourceNotFound: { code: -32602, status: 200 },
  legacyResourceNotFound: { code: -32002, status: 200 },
  unavailable: { code: -32603, status: 503 },
  internalError: { code: -32603, status: 200 },
  headerMismatch: { code: -32020, status: 400 },
  missingClientCapability: { code: -32021, status: 400 },
  unsupportedProtocolVersion: { code: -32022, status: 400 },
} as const

export type WireErrorName = keyof typeof wireErrors
