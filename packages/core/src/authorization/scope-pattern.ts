/** Syntax of a scope (RFC 6749, section 3.3). Tokens cannot grant other scopes, and `"` or `\` would break the challenge. */
export const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+$/
