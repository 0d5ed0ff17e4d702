import { type CompiledSchema, collectMembers } from '@toolwright/schema'
import { appMimeType } from '../../content.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import { type ResourceOptions, resourceOptions } from '../../metadata/feature-options.js'
import { isModelClass } from '../../model.js'
import { readOptions } from '../../options/option.js'
import type { Named, ResourceDefinition, ResourceTemplateDefinition } from '../definitions.js'
import { TemplateError, UriTemplate } from '../uri-template.js'
import { checkResourceUi, isAppPage, metaWithUi } from './app-pages.js'
import { checkDescription, checkResourceName } from './check-description.js'
import { defineVisibility } from './define-visibility.js'
import { checkTextArguments, compileGivenSchema, reportFor } from './schema-option.js'

interface NamedResource extends Named<ResourceOptions> {
  readonly uri: string
}

export function defineResource(named: NamedResource, diagnostics: Diagnostics): ResourceDefinition {
  const { uri, origin, options } = named
  if (!URL.canParse(uri)) {
    diagnostics.add('bad-uri', `${origin}: '${uri}' is not a URI. Begin it with a scheme, such as notes://.`)
  }
  if (options.input !== undefined) {
    const fix = 'Add them to the URI, such as {id}, or remove the input.'
    diagnostics.add('bad-uri', `${origin}: it has an input, but '${uri}' has no variables. ${fix}`)
  }
  return Object.freeze({ ...describe(named, diagnostics), uri, model: null })
}

export function defineResourceTemplate(
  named: NamedResource,
  diagnostics: Diagnostics,
): ResourceTemplateDefinition | null {
  const { uri, origin, options } = named
  const template = parseTemplate(uri, origin, diagnostics)
  if (template === null) return null
  const report = reportFor(origin, diagnostics)
  const input = compileGivenSchema(options, 'input', report) ?? null
  if (input !== null) {
    checkVariables(template, input, origin, diagnostics)
    checkTextArguments('Variables of a URI', input, report)
  }
  return Object.freeze({
    ...describe(named, diagnostics),
    template,
    input,
    model: isModelClass(options.input) ? options.input : null,
  })
}

function describe(
  { uri, name, source, origin, rule, hooks, options, shared }: NamedResource,
  diagnostics: Diagnostics,
) {
  checkResourceName(name, origin, diagnostics)
  checkDescription('resource', options, origin, diagnostics)
  checkResourceUi(uri, options, origin, diagnostics)
  const { tags, enabled, ...read } = readOptions(resourceOptions, options, `${origin}: `, diagnostics)
  const mimeType = isAppPage(uri) ? appMimeType : read.mimeType
  const own = { name, mimeType, meta: metaWithUi(options), input: null, source, origin, rule, hooks }
  return { ...read, ...defineVisibility({ tags, enabled }, shared), ...own }
}

function parseTemplate(uri: string, origin: string, diagnostics: Diagnostics): UriTemplate | null {
  try {
    return new UriTemplate(uri)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    diagnostics.add('bad-uri', `${origin}: the URI template '${uri}' ${error.message}.`)
    return null
  }
}

function checkVariables(
  { variables, text }: UriTemplate,
  input: CompiledSchema,
  origin: string,
  diagnostics: Diagnostics,
): void {
  const properties = [...collectMembers(input.wire).properties.keys()]
  const unknown = properties.filter((property) => !variables.includes(property))
  const missing = variables.filter((variable) => !properties.includes(variable))
  if (unknown.length > 0) {
    diagnostics.add(
      'bad-uri',
      `${origin}: its input has ${unknown.join(', ')}, but the template '${text}' has no such variable. Correct one of the two.`,
    )
  }
  if (missing.length > 0) {
    diagnostics.add(
      'bad-uri',
      `${origin}: the template '${text}' has {${missing.join('}, {')}}, but its input has no such property. ` +
        'Correct one of the two.',
    )
  }
}
