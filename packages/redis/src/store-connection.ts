import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './common-servers.js'
import { Connection } from './connection.js'
import type { Script } from './script.js'
import { messageOf } from './without-secrets.js'

/**
 * Errors of a cluster that moves keys to another node, or that has no node for them during a takeover. The script has
 * changed nothing. Redis uses the text `non local key` for scripts that access undeclared keys.
 */
const moving = /^(TRYAGAIN|CLUSTERDOWN)|non local key/

/** Maximum delay in milliseconds before a rejected script is sent again. */
const movingMs = 30

export class StoreConnection extends Connection<Client> {
  /** Runs a script. The text of the script is sent only if the server does not have the script. */
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
