// Failures of a hook, and their effect on the call. The reference page has this table; a test compares them.

export interface HookFault {
  /** The member of the hook; `around` before and after its `next`. */
  readonly hook: string
  readonly fault: string
  /** The response of the client. */
  readonly client:
    | 'the result'
    | "the hook's message"
    | 'an error id'
    | 'the failure'
    | 'the client requests'
    | 'nothing'
  /** How often the handler runs. */
  readonly handler: 0 | 1
  /** The final event that other hooks get. */
  readonly others: 'onCompleted' | 'onFailed' | 'onInputRequired'
  /** The log line of the failure. */
  readonly logged: 'the failed call' | 'the hook' | ''
}

const before = ['onInvoking', 'around, before next'] as const

const rejecting: readonly HookFault[] = before.flatMap((hook): readonly HookFault[] => [
  { hook, fault: 'throws ToolError', client: "the hook's message", handler: 0, others: 'onFailed', logged: '' },
  { hook, fault: 'throws ProtocolError', client: "the hook's message", handler: 0, others: 'onFailed', logged: '' },
  { hook, fault: 'throws', client: 'an error id', handler: 0, others: 'onFailed', logged: 'the failed call' },
  {
    hook,
    fault: 'throws undefined',
    client: 'an error id',
    handler: 0,
    others: 'onFailed',
    logged: 'the failed call',
  },
  { hook, fault: 'rejects', client: 'an error id', handler: 0, others: 'onFailed', logged: 'the failed call' },
  { hook, fault: 'never settles', client: 'an error id', handler: 0, others: 'onFailed', logged: 'the failed call' },
  { hook, fault: 'settles too late', client: 'an error id', handler: 0, others: 'onFailed', logged: 'the failed call' },
  { hook, fault: 'changes the call', client: 'an error id', handler: 0, others: 'onFailed', logged: 'the failed call' },
  {
    hook,
    fault: 'changes the arguments',
    client: 'an error id',
    handler: 0,
    others: 'onFailed',
    logged: 'the failed call',
  },
  { hook, fault: 'settles after the abort', client: 'nothing', handler: 0, others: 'onFailed', logged: '' },
])

const after: HookFault['hook'] = 'around, after next'

const around: readonly HookFault[] = [
  { hook: after, fault: 'throws ToolError', client: "the hook's message", handler: 1, others: 'onFailed', logged: '' },
  {
    hook: after,
    fault: 'throws ProtocolError',
    client: "the hook's message",
    handler: 1,
    others: 'onFailed',
    logged: '',
  },
  { hook: after, fault: 'throws', client: 'an error id', handler: 1, others: 'onFailed', logged: 'the failed call' },
  { hook: after, fault: 'rejects', client: 'an error id', handler: 1, others: 'onFailed', logged: 'the failed call' },
  {
    hook: after,
    fault: 'never settles',
    client: 'an error id',
    handler: 1,
    others: 'onFailed',
    logged: 'the failed call',
  },
  {
    hook: after,
    fault: 'settles too late',
    client: 'an error id',
    handler: 1,
    others: 'onFailed',
    logged: 'the failed call',
  },
  {
    hook: after,
    fault: 'calls next again',
    client: 'an error id',
    handler: 1,
    others: 'onFailed',
    logged: 'the failed call',
  },
  {
    hook: after,
    fault: 'calls next again, and catches the error',
    client: 'the result',
    handler: 1,
    others: 'onCompleted',
    logged: '',
  },
  {
    hook: after,
    fault: 'returns an invalid result',
    client: 'an error id',
    handler: 1,
    others: 'onFailed',
    logged: 'the failed call',
  },
  { hook: after, fault: 'settles after the abort', client: 'nothing', handler: 1, others: 'onFailed', logged: '' },
  { hook: 'around', fault: 'never calls next', client: 'the result', handler: 0, others: 'onCompleted', logged: '' },
  {
    hook: 'around',
    fault: 'calls next after around has ended',
    client: 'the result',
    handler: 0,
    others: 'onCompleted',
    logged: '',
  },
  {
    hook: 'around',
    fault: 'does not wait for next',
    client: 'the result',
    handler: 1,
    others: 'onCompleted',
    logged: '',
  },
]

const observers = [
  ['onCompleted', 'the result'],
  ['onFailed', 'the failure'],
  ['onInputRequired', 'the client requests'],
] as const

const observing: readonly HookFault[] = observers.flatMap(([hook, client]): readonly HookFault[] => [
  { hook, fault: 'throws ToolError', client, handler: 1, others: hook, logged: 'the hook' },
  { hook, fault: 'throws ProtocolError', client, handler: 1, others: hook, logged: 'the hook' },
  { hook, fault: 'throws', client, handler: 1, others: hook, logged: 'the hook' },
  { hook, fault: 'throws undefined', client, handler: 1, others: hook, logged: 'the hook' },
  { hook, fault: 'rejects', client, handler: 1, others: hook, logged: 'the hook' },
  { hook, fault: 'never settles', client, handler: 1, others: hook, logged: 'the hook' },
  { hook, fault: 'settles too late', client, handler: 1, others: hook, logged: 'the hook' },
  { hook, fault: 'changes the call', client, handler: 1, others: hook, logged: 'the hook' },
  { hook, fault: 'changes the arguments', client, handler: 1, others: hook, logged: 'the hook' },
])

/** Every cell. */
export const hookFaults: readonly HookFault[] = [...rejecting, ...around, ...observing]
