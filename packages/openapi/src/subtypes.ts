import { isJsonObject, type JsonObject } from '@toolwright/core'
import type { Documents, Located } from './documents.js'
import { listAt, objectAt, ownMember, textAt } from './json.js'

export interface Subtype {
  /** The property that the discriminator reads. */
  readonly property: string
  /** The value of the property that selects this schema. */
  readonly value: string
  readonly schema: Located<JsonObject>
}

/**
 * Returns the schemas that the discriminator of a base type selects: the schemas of `mapping`, otherwise the schemas of the
 * document whose `allOf` contains the base. A schema with `oneOf` or `anyOf` lists its alternatives itself.
 *
 * @throws NotLoaded, DocumentError
 */
export function subtypesOf(base: Located<JsonObject>, documents: Documents): readonly Subtype[] {
  const { value, document, key } = base
  const discriminator = ownMember(value, 'discriminator')
  if (!isJsonObject(discriminator) || 'oneOf' in value || 'anyOf' in value) return []
  const property = textAt(discriminator, 'propertyName')
  if (property === undefined) return []
  const mapping = Object.entries(objectAt(discriminator, 'mapping'))
  const references = mapping.length > 0 ? mapping : childrenOf(base)
  const found = references.flatMap(([name, target]) => {
    if (typeof target !== 'string') return []
    const reference = /[#/.]/.test(target) ? target : `#/components/schemas/${target}`
    const schema = documents.follow({ $ref: reference }, document, key)
    return isJsonObject(schema.value) ? [{ property, value: name, schema: schema as Located<JsonObject> }] : []
  })
  return found
}

function childrenOf({ document, key }: Located<JsonObject>): [string, string][] {
  const schemas = objectAt(objectAt(document.root, 'components'), 'schemas')
  const fragment = key.slice(key.indexOf('#'))
  return Object.entries(schemas).flatMap(([name, schema]): [string, string][] => {
    const bases = isJsonObject(schema) ? listAt(schema, 'allOf') : []
    const isChild = bases.some((part) => isJsonObject(part) && part['$ref'] === fragment)
    return isChild ? [[name, `#/components/schemas/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`]] : []
  })
}
