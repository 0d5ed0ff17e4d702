function swc(parser) {
  const transform = { legacyDecorator: true, decoratorMetadata: true }
  return [
    '@swc/jest',
    {
      swcrc: false,
      jsc: { target: 'es2022', parser, transform },
      module: { type: 'commonjs' },
    },
  ]
}

// Jest on Node 20 cannot load ES modules, so swc converts these first.
const converted = [
  'toolwright',
  '@toolwright',
  'typebox',
  'jose',
  'cookie',
  '@modelcontextprotocol',
]

export default {
  testEnvironment: 'node',
  // `dist/` has compiled copies of the tests.
  roots: ['<rootDir>/src'],
  transform: {
    '\\.ts$': swc({ syntax: 'typescript', decorators: true }),
    '\\.[cm]?js$': swc({ syntax: 'ecmascript' }),
  },
  // With pnpm, the folder `.pnpm` contains further `node_modules` folders.
  transformIgnorePatterns: [
    `/node_modules/(?!(\\.pnpm|${converted.join('|')})/)`,
  ],
  // Imports name `./tools.js`, as Node requires, but the file is `tools.ts`.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
}
