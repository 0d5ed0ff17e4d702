import { getPrompt } from '../../dispatch/get-prompt.js'
import { shorten } from '../../errors/protocol-error.js'
import { downConvert } from '../down-convert.js'
import { encodePrompt } from '../encode-definitions.js'
import type { Method, Methods } from '../era.js'
import { createListMethod } from './list-method.js'
import { whenListed, whenUsed } from './when-used.js'
import { checkSize, type Wire } from './wire.js'

/** `prompts/list` and `prompts/get` of one revision. */
export function createPromptMethods(wire: Wire): Methods {
  const { served, revision, completeResult } = wire
  const { prompts: shelf } = served.catalog
  const list = createListMethod(wire, { method: 'prompts/list', member: 'prompts', shelf, encode: encodePrompt })
  const get: Method = async (call) => {
    const { params } = call.request
    const { description, messages, _meta } = await getPrompt(served.plans.prompts, params, call)
    const known = messages.map(({ role, content }) => ({ role, content: downConvert(content, revision) }))
    const members = JSON.stringify({ description, messages: known }).slice(1, -1)
    const what = `Prompt '${shorten(String(params['name']))}'`
    return completeResult(checkSize(members, what, served), _meta ?? null)
  }
  return { ...whenListed([shelf], revision, { 'prompts/list': list }), ...whenUsed([shelf], { 'prompts/get': get }) }
}
