/** What a scope is made of (RFC 6749, section 3.3). No token can grant another one, and in a challenge it would end the parameter. */
export const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+$/
