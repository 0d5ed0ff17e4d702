import type { Diagnostics } from '../errors/diagnostics.js'
import { isObject, isStringList } from '../options/kinds.js'
import type { ExtendedList, Extension, ExtensionUsers } from '../protocol/extensions/extension.js'
import { rejectName } from '../protocol/notifications/own-notifications.js'

const reserved = new Set(
  'initialize ping notifications tools prompts resources completion logging server subscriptions tasks skills sampling elicitation roots rpc'.split(
    ' ',
  ),
)

const lists: readonly string[] = ['tools', 'prompts', 'resources', 'resourceTemplates'] satisfies ExtendedList[]

const usingLists: readonly string[] = ['tools', 'resources', 'resourceTemplates'] satisfies (keyof ExtensionUsers)[]

export function checkExtensions(extensions: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!Array.isArray(extensions)) {
    diagnostics.addBadOption(option, extensions, 'Give an array of objects with an id.')
    return false
  }
  const before = diagnostics.count
  const known = new Set<string>()
  const claim = (label: string): void => {
    if (known.has(label)) diagnostics.add('bad-option', `${label} is declared twice. Remove one of the two.`)
    known.add(label)
  }
  for (const [index, extension] of (extensions as unknown[]).entries()) {
    if (isObject(extension)) checkExtension(extension, `${option}[${index}]`, claim, diagnostics)
    else diagnostics.addBadOption(`${option}[${index}]`, extension, 'Give an object with an id.')
  }
  return diagnostics.count === before
}

function checkExtension(
  extension: Partial<Extension>,
  option: string,
  claim: (label: string) => void,
  diagnostics: Diagnostics,
): void {
  const {
    id,
    era,
    usedBy = {},
    unknownMethod,
    settings,
    prepare,
    close,
    receive,
    startsCall,
    acceptsBatch,
    webSocket,
    methods = {},
    listedMeta = {},
    notifications = [],
  } = extension
  if (typeof id !== 'string' || !/^[a-z][\w.-]*\/[\w.-]+$/i.test(id)) {
    diagnostics.addBadOption(`${option}.id`, id, "Give a name with a vendor's prefix: 'com.example/quotas'.")
    return
  }
  const label = `extension '${id}'`
  claim(label)
  if (era !== undefined && era !== 'modern' && era !== 'legacy')
    diagnostics.addBadOption(`${label}: era`, era, "Give 'modern' or 'legacy'.")
  checkFunctions(
    label,
    { settings, prepare, close, unknownMethod, receive, startsCall, acceptsBatch, webSocket },
    diagnostics,
  )
  for (const name of checkFunctions(`${label}: methods`, runsOf(methods), diagnostics)) {
    claim(`method '${name}'`)
    if (reserved.has(name.split('/', 1)[0] as string)) {
      const fix = 'Start its name with your own prefix.'
      diagnostics.add('bad-option', `${label}: the method '${name}' belongs to the protocol. ${fix}`)
    }
  }
  if (!isStringList(notifications))
    diagnostics.addBadOption(`${label}: notifications`, notifications, 'Give an array of names.')
  else {
    for (const name of notifications) {
      const rejection = rejectName(name)
      if (rejection !== null) diagnostics.add('bad-option', `${label}: the notification '${name}' ${rejection}`)
    }
  }
  checkByList(`${label}: listedMeta`, listedMeta, lists, diagnostics)
  checkByList(`${label}: usedBy`, usedBy, usingLists, diagnostics)
}

function runsOf(methods: unknown): unknown {
  if (!isObject(methods)) return methods
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, isObject(method) ? Reflect.get(method, 'run') : method]),
  )
}

function checkByList(option: string, given: unknown, names: readonly string[], diagnostics: Diagnostics): void {
  for (const list of checkFunctions(option, given, diagnostics)) {
    if (names.includes(list)) continue
    diagnostics.add('bad-option', `${option}.${list} is not the name of a list. Give one of ${names.join(', ')}.`)
  }
}

function checkFunctions(option: string, members: unknown, diagnostics: Diagnostics): readonly string[] {
  if (!isObject(members)) {
    diagnostics.addBadOption(option, members, 'Give an object of functions by name.')
    return []
  }
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && typeof value !== 'function') {
      diagnostics.addBadOption(`${option}.${name}`, value, 'Give a function.')
    }
  }
  return Object.keys(members)
}
