import type { Catalog, ResourceTemplateDefinition } from '@toolwright/core'
import { haveCommonUri, isMoreSpecific, isSameLanguage, normalUri } from '@toolwright/core/reports'

type Entry = Pick<ResourceTemplateDefinition, 'rule' | 'transports' | 'enabledFor'>
type Rule = Entry['rule']

/** Messages about overlapping resources that the author should review. Each message is one sentence. */
interface ResourceOverlaps {
  readonly warnings: readonly string[]
  /** Open resources whose URIs also match guarded templates. */
  readonly exceptions: readonly string[]
}

export function findOverlaps({ resources, resourceTemplates }: Catalog): ResourceOverlaps {
  const warnings: string[] = []
  const exceptions: string[] = []
  const templates = resourceTemplates.all
  const restricted = templates.filter(isRestricted)
  for (const { uri } of resources.all.filter((resource) => !isRestricted(resource))) {
    const normal = normalUri(uri)
    const outer = restricted.find(({ template }) => template.match(normal) !== null)
    if (outer !== undefined) exceptions.push(describeException(uri, outer))
  }
  for (const [index, one] of templates.entries()) {
    for (const other of templates.slice(index + 1)) {
      if (!haveCommonUri(one.template, other.template)) continue
      // A restricted template takes precedence over an open template. Otherwise, the first template has precedence.
      const [first, second] = !isRestricted(one) && isRestricted(other) ? [other, one] : [one, other]
      if (isUnreachable(second, first)) warnings.push(describeUnreachable(second, first))
      else if (!isEquallyRestricted(first, second)) compareRules(first, second)
    }
  }
  return { warnings, exceptions }

  function compareRules(first: ResourceTemplateDefinition, second: ResourceTemplateDefinition): void {
    if (isMoreSpecific(first.template, second.template)) return
    if (!isMoreSpecific(second.template, first.template)) warnings.push(describePair(first, second))
    else if (!isRestricted(second)) exceptions.push(describeException(second.template.text, first))
  }
}

/**
 * Whether `first`, which takes precedence, serves all URIs of a template. False if `first` has a schema, which could reject some
 * URIs.
 */
function isUnreachable({ template }: ResourceTemplateDefinition, first: ResourceTemplateDefinition): boolean {
  return first.input === null && isSameLanguage(first.template, template)
}

function hasSameRule(one: Rule, other: Rule): boolean {
  if (one === null || other === null) return one === other
  const [first, second] = [one, other].map(({ roles, scopes }) => JSON.stringify([roles, scopes]))
  return (
    first === second &&
    one.policies.length === other.policies.length &&
    one.policies.every((policy, index) => policy === other.policies[index])
  )
}

function isEquallyRestricted(one: Entry, other: Entry): boolean {
  return hasSameRule(one.rule, other.rule) && hasSameTransports(one, other) && hasSameFunctions(one, other)
}

function hasSameTransports(one: Entry, other: Entry): boolean {
  return String(one.transports) === String(other.transports)
}

function hasSameFunctions({ enabledFor: one }: Entry, { enabledFor: other }: Entry): boolean {
  return one.length === other.length && one.every((decide) => other.includes(decide))
}

function isRestricted({ rule, transports, enabledFor }: Entry): boolean {
  return rule !== null || transports !== null || enabledFor.length > 0
}

function describeException(open: string, { template, rule, transports }: ResourceTemplateDefinition): string {
  if (rule === null && transports === null) {
    return `'${open}' is shown to all callers, but also matches '${template.text}', which \`enabled\` hides from some`
  }
  return rule === null
    ? `'${open}' is served over all transports, but also matches '${template.text}', which is served over some transports only`
    : `'${open}' is open to all callers, but also matches '${template.text}', which has an access rule`
}

function describePair(first: ResourceTemplateDefinition, second: ResourceTemplateDefinition): string {
  const [one, other] = [first.template.text, second.template.text]
  if (hasSameRule(first.rule, second.rule) && hasSameTransports(first, second)) {
    const found = `Some URIs match both '${one}' and '${other}', which have different \`enabled\` functions`
    return `${found}. Such a URI is served only to callers to whom all of them return true`
  }
  if (hasSameRule(first.rule, second.rule)) {
    const found = `Some URIs match both '${one}' and '${other}', which have different transports`
    return `${found}. Such a URI is served only over transports that both have`
  }
  const which = second.rule === null ? `the rule of '${one}' applies` : 'both rules apply'
  return `Some URIs match both '${one}' and '${other}', which have different rules. For such a URI, ${which}`
}

function describeUnreachable({ template }: ResourceTemplateDefinition, first: ResourceTemplateDefinition): string {
  return `'${template.text}' is unreachable: '${first.template.text}' matches the same URIs. Remove one`
}
