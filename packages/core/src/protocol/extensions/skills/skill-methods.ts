import { type Guarded, isAdmitted, rejectionBy } from '../../../authorization/access-rule.js'
import { ListPages } from '../../../call/list-pages.js'
import { readString } from '../../../call/steps.js'
import type { FeatureRegistry } from '../../../catalog/feature-registry.js'
import { ProtocolError, shorten } from '../../../errors/protocol-error.js'
import type { JsonObject } from '../../../rpc/messages.js'
import { answering, type Method, type Methods } from '../../era.js'
import { createListMethod } from '../../methods/list-method.js'
import type { ResultWriter } from '../../methods/result-writer.js'
import type { SkillDefinition } from './skill-definition.js'
import { SkillDirectories } from './skill-directories.js'

/** Creates `skills/list`, `skills/get` and `resources/directory/read`. Spec: Skills extension. */
export function createSkillMethods(writer: ResultWriter, skills: FeatureRegistry<SkillDefinition>): Methods {
  const { completeResult, cacheHints, privateHints } = writer
  const list = createListMethod(writer, {
    method: 'skills/list',
    member: 'skills',
    registry: skills,
    encode: encodeSkill,
  })
  const get = answering(({ request, context }) => {
    const uri = readString(request.params, 'uri')
    const skill = skills.get(uri)
    const unknown = (): ProtocolError => new ProtocolError('invalidParams', `No skill is served at ${shorten(uri)}`)
    if (!skills.offers(uri, context)) throw unknown()
    if (skill === undefined || !isAdmitted(skill, context.principal)) {
      throw rejectionBy(skill?.rule, context.principal) ?? unknown()
    }
    const hints = skill.rule === null ? cacheHints : privateHints
    return completeResult(`"skill":${JSON.stringify(encodeSkill(skill))}${hints}`, null)
  })
  const readDirectory = createDirectoryMethod(writer, skills)
  return { 'skills/list': list, 'skills/get': get, 'resources/directory/read': readDirectory }
}

function encodeSkill({ uri, frontmatter, files }: SkillDefinition): JsonObject {
  return { uri, frontmatter, resources: files }
}

function createDirectoryMethod(
  { dependencies, revision, completeResult }: ResultWriter,
  skills: FeatureRegistry<SkillDefinition>,
): Method {
  const directories = new SkillDirectories(skills, dependencies.catalog, revision)
  /** Pages by list of children. The directories return the same list until a resource is added, enabled or disabled. */
  const pagesOf = new WeakMap<readonly JsonObject[], ListPages<JsonObject>>()
  const open = (uri: string): ListPages<JsonObject> => {
    const entries = directories.childrenOf(uri)
    if (entries === undefined) throw notDirectory(uri)
    const known = pagesOf.get(entries)
    if (known !== undefined) return known
    const pages = new ListPages<JsonObject>({
      // The name includes the URI, so that cursors of other directories are rejected.
      method: `resources/directory/read ${uri}`,
      pageSize: dependencies.pageSize,
      entries,
      keyOf: ({ uri: key }) => String(key),
      encode: (children, nextCursor) => {
        const next = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`
        return completeResult(`"resources":${JSON.stringify(children)}${next}`, null)
      },
    })
    pagesOf.set(entries, pages)
    return pages
  }
  // Directories have the same access rule as all files of skills.
  const guarded: Guarded = { rule: dependencies.catalog.defaultRule }
  return answering(({ request, context: { principal } }) => {
    const uri = readString(request.params, 'uri')
    if (!isAdmitted(guarded, principal)) throw rejectionBy(guarded.rule, principal) ?? notDirectory(uri)
    return open(uri).page(request.params['cursor'])
  })
}

function notDirectory(uri: string): ProtocolError {
  return new ProtocolError('invalidParams', `${shorten(uri)} is not a directory resource`)
}
