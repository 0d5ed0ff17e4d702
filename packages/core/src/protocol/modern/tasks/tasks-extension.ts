import type { Catalog } from '../../../catalog/catalog.js'
import type { Principal } from '../../../context/principal.js'
import { MissingCapabilityError } from '../../../errors/asking-errors.js'
import { isJsonObject, type JsonObject } from '../../../rpc/messages.js'

const extension = 'io.modelcontextprotocol/tasks'

/** What the extension's methods are named in a request's declaration. Spec: extensions, "Negotiation". */
export function declaresTasks({ extensions }: JsonObject): boolean {
  return isJsonObject(extensions) && isJsonObject(extensions[extension])
}

/** @throws ProtocolError -32021 for a request whose client did not say that it takes tasks. */
export function requireTasks(clientCapabilities: JsonObject): void {
  if (!declaresTasks(clientCapabilities)) throw new MissingCapabilityError({ extensions: { [extension]: {} } })
}

/** Watches whether there ever was a tool that can be a task: what a client was told of once is not taken back. */
export class TaskUse {
  readonly tools: Catalog['tools']
  #isUsed: boolean

  constructor({ tools }: Catalog) {
    this.tools = tools
    this.#isUsed = tools.all.some(({ task }) => task !== null)
    tools.onChange((change) => {
      if (change.kind === 'added' && change.definition.task !== null) this.#isUsed = true
    })
  }

  /** Whether a caller sees a tool that can be a task, or everybody always did. */
  isUsedBy(principal: Principal | null): boolean {
    const { tools } = this
    return tools.isGuarded ? tools.visibleTo(principal).some(({ task }) => task !== null) : this.#isUsed
  }

  get isUsed(): boolean {
    return this.#isUsed
  }

  /** What `server/discover` says under `capabilities`, once there is one. */
  get capability(): JsonObject {
    return { [extension]: {} }
  }
}
