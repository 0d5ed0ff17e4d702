import type { MaybePromise } from '@toolwright/core'
import type { PartServices } from '@toolwright/core/extension'
import { readRecord } from './session-record.js'
import type { SessionNode, SessionRecord, SessionStore } from './session-store.js'

export type SessionStoreClient = ReturnType<typeof connectSessionStore>

/**
 * Wraps a session store. If the store fails, times out or returns an invalid session, the client gets an error that asks for a
 * retry. Outages of keeping alive and of forwarding are logged separately. Operations are synchronous if the store is.
 */
export function connectSessionStore(store: SessionStore, server: PartServices) {
  const rejection = 'Sessions are temporarily unavailable'
  const client = server.createStoreClient('the session store', rejection)
  const keepingAlive = server.createStoreClient('keeping sessions alive in the session store', rejection)
  const forwarding = server.createStoreClient('forwarding messages to other nodes', rejection)
  server.prepareStore(store)
  return {
    create: (record: SessionRecord, idleMs: number): MaybePromise<boolean> =>
      client.ask<unknown, boolean>(
        () => store.create(record, idleMs),
        (isStored) => {
          if (typeof isStored === 'boolean') return isStored
          throw new Error('The session store returned neither true nor false for a new session')
        },
      ),
    /** @param known A record that need not be checked again. */
    get: <Result>(
      id: string,
      known: SessionRecord | undefined,
      use: (record: SessionRecord | undefined) => Result,
    ): MaybePromise<Result> =>
      client.ask<unknown, Result>(
        () => store.get(id),
        (record) => {
          if (record === undefined) return use(undefined)
          return use(known !== undefined && record === known ? known : readRecord(record, id))
        },
      ),
    has: (id: string): MaybePromise<boolean> =>
      client.ask<unknown, boolean>(
        () => store.get(id),
        (record) => record !== undefined,
      ),
    update: <Result>(
      id: string,
      change: (record: SessionRecord) => SessionRecord,
      use: (record: SessionRecord | undefined) => Result,
    ): MaybePromise<Result> =>
      client.ask<unknown, Result>(
        () => store.update(id, (record) => change(readRecord(record, id))),
        (record) => use(record === undefined ? undefined : readRecord(record, id)),
      ),
    delete: (id: string): MaybePromise<void> =>
      client.ask(
        () => store.delete(id),
        () => undefined,
      ),
    touch: (id: string, idleMs: number): Promise<void> | null => keepingAlive.start(() => store.touch(id, idleMs)),
    forward: (id: string, message: string): MaybePromise<void> =>
      forwarding.ask(
        () => store.forward?.(id, message),
        () => undefined,
      ),
    /** @returns A function that detaches the node, and never throws. */
    attach: (node: SessionNode): (() => void) => {
      const detach = store.attach(node)
      return () => server.runFenced(detach, 'the session store could not be detached')
    },
    get canForward(): boolean {
      return store.forward !== undefined
    },
    get isAlone(): boolean {
      return store.isAlone === true
    },
    get size(): number | undefined {
      return store.size
    },
  }
}
