// #region config
function swc(parser) {
  const transform = { legacyDecorator: true, decoratorMetadata: true }
  return ['@swc/jest', { swcrc: false, jsc: { target: 'es2022', parser, transform }, module: { type: 'commonjs' } }]
}

// Jest on Node 20 cannot load ES modules, so swc converts these first.
const converted = ['toolwright', '@toolwright', 'typebox', 'jose', 'cookie', '@modelcontextprotocol']

export default {
  testEnvironment: 'node',
  transform: {
    '\\.ts$': swc({ syntax: 'typescript', decorators: true }),
    '\\.[cm]?js$': swc({ syntax: 'ecmascript' }),
  },
  // Below `.pnpm`, where there is one, are folders with `node_modules` of their own.
  transformIgnorePatterns: [`/node_modules/(?!(\\.pnpm|${converted.join('|')})/)`],
  // Imports say `./tools.js`, as Node wants them, and the file is `tools.ts`.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
}
// #endregion
