import type { Catalog } from '../../catalog/catalog.js'
import { describeValue } from '../../errors/describe-value.js'
import { type Diagnostics, describeThrown } from '../../errors/diagnostics.js'
import { requireNoPromise } from '../../errors/run-fenced.js'
import { isJsonObject, type JsonObject } from '../../rpc/messages.js'
import { encodePrompt, encodeResource, encodeResourceTemplate, encodeTool } from '../encode/encode-definitions.js'
import { latest } from '../revisions.js'
import type { ExtendedList, Extension } from './extension.js'

/** Returns the members that an extension adds to an entry. @throws The error of the extension, or an error for an unfit value. */
export function describeEntry(
  { listedMeta }: Extension,
  list: ExtendedList,
  entry: JsonObject,
): JsonObject | undefined {
  const meta: unknown = requireNoPromise(listedMeta?.[list]?.(entry), 'it')
  if (meta === undefined) return undefined
  if (!isJsonObject(meta)) throw new TypeError(`it returned ${describeValue(meta)}`)
  // The text is not used: a value that cannot be serialized would fail the whole list.
  JSON.stringify(meta)
  return meta
}

export function keyOfEntry({ uri, uriTemplate, name }: JsonObject): string {
  return String(uri ?? uriTemplate ?? name)
}

export function checkListedMeta(
  extensions: readonly Extension[],
  { tools, prompts, resources, resourceTemplates }: Catalog,
  diagnostics: Diagnostics,
): void {
  const extending = extensions.filter(({ listedMeta }) => listedMeta !== undefined)
  if (extending.length === 0) return
  const lists: Readonly<Record<ExtendedList, readonly JsonObject[]>> = {
    tools: tools.all.map((tool) => encodeTool(tool, latest)),
    prompts: prompts.all.map((prompt) => encodePrompt(prompt, latest)),
    resources: resources.all.map((resource) => encodeResource(resource, latest)),
    resourceTemplates: resourceTemplates.all.map((template) => encodeResourceTemplate(template, latest)),
  }
  for (const extension of extending) {
    for (const list of Object.keys(lists) as ExtendedList[]) checkEntries(extension, list, lists[list], diagnostics)
  }
}

function checkEntries(
  extension: Extension,
  list: ExtendedList,
  entries: readonly JsonObject[],
  diagnostics: Diagnostics,
): void {
  for (const entry of entries) {
    try {
      describeEntry(extension, list, entry)
    } catch (error) {
      const failed = `extension '${extension.id}': listedMeta.${list} fails for '${keyOfEntry(entry)}'`
      diagnostics.add('bad-option', `${failed}: ${describeThrown(error)}. Return an object or undefined.`, error)
    }
  }
}
