import type { SessionNode } from './session-store.js'

export class AttachedNodes implements SessionNode {
  readonly #nodes = new Set<SessionNode>()

  /** @param onEmpty Called when the last node is detached. */
  constructor(private readonly onEmpty: () => void) {}

  get size(): number {
    return this.#nodes.size
  }

  attach(node: SessionNode): () => void {
    this.#nodes.add(node)
    return () => {
      this.#nodes.delete(node)
      if (this.#nodes.size === 0) this.onEmpty()
    }
  }

  isInUse(sessionId: string): boolean {
    for (const node of this.#nodes) if (node.isInUse(sessionId)) return true
    return false
  }

  ended(sessionId: string): void {
    for (const node of this.#nodes) node.ended(sessionId)
  }

  received(sessionId: string, message: string): void {
    for (const node of this.#nodes) node.received(sessionId, message)
  }
}
