import { type CallHook, type FeatureCall, failureKindOf } from '@toolwright/core'

/** A hook that records its events, after its own name. */
export function recording(name: string, notes: unknown[]): CallHook {
  return {
    onInvoking: (call) => void notes.push([name, 'onInvoking', describe(call)]),
    around: async (_call, next) => {
      notes.push([name, 'around'])
      const value = await next()
      notes.push([name, 'around ended'])
      return value
    },
    onCompleted: (call, result) => void notes.push([name, 'onCompleted', describe(call), result]),
    onFailed: (call, error) => void notes.push([name, 'onFailed', describe(call), failureKindOf(error), error.message]),
    onInputRequired: (call) => void notes.push([name, 'onInputRequired', describe(call)]),
  }
}

function describe({ kind, name }: FeatureCall): string {
  return `${kind} ${name}`
}
