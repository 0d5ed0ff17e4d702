import { getPrompt } from '../../call/get-prompt.js'
import { shorten } from '../../errors/protocol-error.js'
import { downConvert } from '../down-convert.js'
import { encodePrompt } from '../encode-definitions.js'
import type { Method, Methods } from '../era.js'
import { createListMethod } from './list-method.js'
import { checkSize, type ResultWriter } from './result-writer.js'
import { whenListed, whenUsed } from './when-used.js'

/** `prompts/list` and `prompts/get` of one revision. */
export function createPromptMethods(writer: ResultWriter): Methods {
  const { dependencies, revision, completeResult } = writer
  const { prompts: registry } = dependencies.catalog
  const list = createListMethod(writer, { method: 'prompts/list', member: 'prompts', registry, encode: encodePrompt })
  const get: Method = async (call) => {
    const { params } = call.request
    const { description, messages, _meta } = await getPrompt(dependencies.plans.prompts, params, call)
    const known = messages.map(({ role, content }) => ({ role, content: downConvert(content, revision) }))
    const members = JSON.stringify({ description, messages: known }).slice(1, -1)
    const what = `Prompt '${shorten(String(params['name']))}'`
    return completeResult(checkSize(members, what, dependencies), _meta ?? null)
  }
  return {
    ...whenListed([registry], revision, { 'prompts/list': list }),
    ...whenUsed([registry], { 'prompts/get': get }),
  }
}
