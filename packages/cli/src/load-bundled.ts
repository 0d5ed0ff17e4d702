import { createRequire } from 'node:module'

/** Loads a library that is bundled into this package, because its installation takes ten times as much space. */
export function loadBundled<Library>(name: 'recheck' | 'json-schema-to-typescript' | 'openapi-core'): Library {
  return createRequire(import.meta.url)(`../bundle/${name}.cjs`) as Library
}
