/** Version of this package, sent to the server. Not read from package.json, which browsers do not have: a test compares them. */
export const version = '0.1.0'
