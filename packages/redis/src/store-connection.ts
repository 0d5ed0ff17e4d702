import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from './connection.js'
import type { Script } from './script.js'
import type { Client } from './servers.js'
import { messageOf } from './without-secrets.js'

/**
 * Refusals of a cluster that moves keys to another node, or has none for them while a replica takes over. Nothing was done.
 * A script that finds keys it does not name on the other node says the last one.
 */
const moving = /^(TRYAGAIN|CLUSTERDOWN)|non local key/

/** Milliseconds until a refused script is sent again, at most. */
const movingMs = 30

/** The connection over which the stores ask Redis. */
export class StoreConnection extends Connection<Client> {
  /** Runs a script, whose text travels only when the server has not seen it. */
  script(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const options = { keys: [...keys], arguments: args.map(String) }
    return this.run(async (client) => {
      const end = performance.now() + this.timeoutMs
      for (;;) {
        try {
          // oxlint-disable-next-line no-await-in-loop
          return await evaluate(client, script, options)
        } catch (error) {
          if (!moving.test(messageOf(error)) || performance.now() > end) throw error
          // oxlint-disable-next-line no-await-in-loop
          await sleep(Math.random() * movingMs)
        }
      }
    })
  }
}

async function evaluate(client: Client, { hash, text }: Script, options: Parameters<Client['eval']>[1]) {
  try {
    return await client.evalSha(hash, options)
  } catch (error) {
    if (!messageOf(error).startsWith('NOSCRIPT')) throw error
    return client.eval(text, options)
  }
}
