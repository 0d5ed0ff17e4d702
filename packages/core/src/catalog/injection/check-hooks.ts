import { distance } from 'fastest-levenshtein'
import type { InjectionToken } from '../../container/tsyringe.js'
import { describeValue } from '../../errors/describe-value.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import { hookMembers, isCallHook } from '../../hooks/call-hook.js'
import { featureMethodsOf, hookedMethodsOf } from '../../metadata/store.js'
import type { Class } from '../../metadata/types.js'
import type { Runnable } from '../definitions.js'
import type { DependencyGraph } from './dependency-graph.js'

const members = hookMembers.join(', ')

export function checkHooks(
  serverHooks: readonly unknown[],
  features: readonly Runnable[],
  graph: DependencyGraph,
  diagnostics: Diagnostics,
): void {
  for (const hook of serverHooks) checkHook(hook, 'hooks of the server', graph, diagnostics)
  const controllers = new Set<Class>()
  for (const { source, hooks, origin } of features) {
    for (const hook of hooks) checkHook(hook, `${origin}, its hooks`, graph, diagnostics)
    if (source.kind === 'method') controllers.add(source.controller)
  }
  for (const controller of controllers) reportStrayHooks(controller, diagnostics)
}

function checkHook(hook: unknown, where: string, graph: DependencyGraph, diagnostics: Diagnostics): void {
  const isClass = typeof hook === 'function' && hook.prototype !== undefined
  if (!isClass) return checkHookObject(hook, where, diagnostics)
  checkMembers(hook.prototype, where, hook, diagnostics)
  const token = hook as InjectionToken
  if (graph.lifetimeOf(token, where) !== 'call') return
  const message =
    `${where}: ${describeValue(hook)} is created once, at boot, but depends on an instance that is created for each ` +
    'call. Read the data of the call from call.context instead.'
  diagnostics.add('captive-dependency', message)
}

export function checkHookObject(hook: unknown, where: string, diagnostics: Diagnostics): void {
  if (isCallHook(hook)) return checkMembers(hook, where, hook, diagnostics)
  const cause = hook === undefined ? ' (perhaps because two files import each other)' : ''
  const message = `${where}: ${describeValue(hook)}${cause} is not a hook. Add one of the methods ${members}.`
  diagnostics.add('bad-hook', message)
}

const maxSlips = 3

/**
 * Reports misspelt members, which would never run. Compares only names with the same beginning, because hooks can have other
 * members.
 */
function checkMembers(target: unknown, where: string, hook: unknown, diagnostics: Diagnostics): void {
  for (const name of memberNames(target)) {
    const meant = hookMembers.find((member) => beginOf(member) === beginOf(name) && isSlip(name, member))
    if (meant === undefined) continue
    const message = `${where}: ${describeValue(hook)} has ${name}, which never runs. Did you mean ${meant}?`
    diagnostics.add('bad-hook', message)
  }
}

function beginOf(name: string): string {
  return name.slice(0, 3).toLowerCase()
}

function isSlip(name: string, member: string): boolean {
  return !(hookMembers as readonly string[]).includes(name) && distance(name, member) <= maxSlips
}

function memberNames(target: unknown): string[] {
  if (typeof target !== 'object' || target === null || target === Object.prototype) return []
  return [...Object.getOwnPropertyNames(target), ...memberNames(Object.getPrototypeOf(target))]
}

function reportStrayHooks(controller: Class, diagnostics: Diagnostics): void {
  const features = featureMethodsOf(controller)
  for (const method of hookedMethodsOf(controller)) {
    if (features.has(method)) continue
    const origin = `${controller.name}.${String(method)}`
    diagnostics.add(
      'bad-hook',
      `${origin}: @UseHooks is on a method that is not a feature. Put it on a feature, or remove it.`,
    )
  }
}
