import { mayUse } from '../../call/call.js'
import { rejectUse } from '../../call/observe-forbidden.js'
import { unknownFeature } from '../../call/unknown-feature.js'
import type { PromptResult } from '../../content.js'
import { readArguments, readString, withoutNulls } from '../../rpc/messages.js'
import { encodePrompt } from '../encode/encode-definitions.js'
import { downConvert } from '../encode/encode-tool-result.js'
import type { Method, Methods } from '../era.js'
import type { WritingMethod } from '../request-call.js'
import { createListMethod } from './list-method.js'
import { checkSize, type ResultWriter } from './result-writer.js'
import { whenListed, whenUsed } from './when-used.js'

export function createPromptMethods(writer: ResultWriter): Methods {
  const { dependencies, revision, completeResult } = writer
  const { prompts: registry } = dependencies.catalog
  const { prompts } = dependencies.plans
  const list = createListMethod(writer, { method: 'prompts/list', member: 'prompts', registry, encode: encodePrompt })
  const method: WritingMethod = {
    notFound: ({ featureName, context }) =>
      unknownFeature('prompt', featureName, registry.visibleTo(context).map(registry.keyOf)),
    startTask: null,
    write: (encoded, call) => {
      const { description, messages, _meta } = encoded as PromptResult
      const known = messages.map(({ role, content }) => ({ role, content: downConvert(content, revision) }))
      const members = JSON.stringify({ description, messages: known }).slice(1, -1)
      return completeResult(checkSize(members, call.plan.label, dependencies), _meta ?? null)
    },
  }
  const get: Method = (call) => {
    const { params } = call.request
    const name = readString(params, 'name')
    const plan = prompts.get(name)
    call.featureName = name
    if (!registry.offers(name, call.context)) throw method.notFound(call)
    if (plan === undefined || !mayUse(plan, call.context.principal)) {
      throw rejectUse(plan, params['arguments'], call) ?? method.notFound(call)
    }
    call.start(plan, method, withoutNulls(readArguments(params)))
  }
  return {
    ...whenListed([registry.use], revision, { 'prompts/list': list }),
    ...whenUsed([registry.use], { 'prompts/get': get }),
  }
}
