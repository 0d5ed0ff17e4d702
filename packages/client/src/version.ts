/** Version of this package, which the server sees. A test compares it with package.json, which a browser cannot read. */
export const version = '0.1.0'
