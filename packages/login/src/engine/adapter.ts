import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import { keyOf } from '../secrets.js'
import type { SealedStore } from '../store/sealed-store.js'
import type { RefreshRotation } from './refresh-rotation.js'
import type { ClientMetadata } from './registered-clients.js'

interface AdapterParts {
  readonly store: SealedStore
  readonly rotation: RefreshRotation
  readonly findClient: (id: string) => ClientMetadata | undefined
  readonly endSession: (grantId: string) => Promise<void>
}

/** Longest lifetime in seconds of an entry whose lifetime the engine leaves open. */
const longestSeconds = 24 * 60 * 60

/** Seconds for which a used code is remembered: longer than it is valid. */
const usedCodeSeconds = 600

/** Stores the state of the engine. The keys are hashes of codes and tokens, so that the store contains no usable ones. */
class EngineAdapter implements Adapter {
  constructor(
    private readonly kind: string,
    protected readonly parts: AdapterParts,
  ) {}

  async upsert(id: string, payload: AdapterPayload, expiresIn = longestSeconds): Promise<void> {
    await this.parts.store.set(this.keyOf(id), payload, expiresIn)
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return (await this.parts.store.get<AdapterPayload>(this.keyOf(id))) ?? undefined
  }

  async consume(_id: string): Promise<void> {}

  async destroy(id: string): Promise<void> {
    await this.parts.store.take(this.keyOf(id))
  }

  /** Tokens need their grant, which the engine deletes as well. */
  async revokeByGrantId(): Promise<void> {}

  async findByUid(): Promise<undefined> {}

  async findByUserCode(): Promise<undefined> {}

  protected keyOf(id: string): string {
    return keyOf(this.kind, id)
  }
}

class CodeAdapter extends EngineAdapter {
  override async find(id: string): Promise<AdapterPayload | undefined> {
    const payload = await super.find(id)
    if (payload === undefined) return undefined
    const isUsed = (await this.parts.store.get(this.#usedKeyOf(id))) !== null
    return isUsed ? { ...payload, consumed: true } : payload
  }

  /** Two nodes can both have found an unused code. */
  override async consume(id: string): Promise<void> {
    if (await this.parts.store.add(this.#usedKeyOf(id), true, usedCodeSeconds)) return
    const grantId = (await super.find(id))?.grantId
    if (grantId !== undefined) await this.parts.endSession(grantId)
    throw new errors.InvalidGrant('authorization code already consumed')
  }

  #usedKeyOf(id: string): string {
    return keyOf('used', id)
  }
}

/** Refresh tokens, each of which can be used once, and again while the answer may not have arrived. */
class RefreshTokenAdapter extends EngineAdapter {
  override async find(id: string): Promise<AdapterPayload | undefined> {
    const payload = await super.find(id)
    if (payload === undefined) return undefined
    return (await this.parts.rotation.isReused(id)) ? { ...payload, consumed: true } : payload
  }
}

class ClientAdapter extends EngineAdapter {
  override async find(id: string): Promise<AdapterPayload | undefined> {
    return this.parts.findClient(id)
  }
}

/** Sessions of browsers are not stored: each login asks the user and the provider. */
class NoSessions extends EngineAdapter {
  override async upsert(): Promise<void> {}

  override async find(): Promise<undefined> {}
}

class AssertionAdapter extends EngineAdapter {
  override async upsert(id: string, payload: AdapterPayload, expiresIn = longestSeconds): Promise<void> {
    if (await this.parts.store.add(this.keyOf(id), payload, expiresIn)) return
    throw new errors.InvalidClient('the client assertion was used before')
  }
}

const kinds: Readonly<Record<string, typeof EngineAdapter>> = {
  AuthorizationCode: CodeAdapter,
  RefreshToken: RefreshTokenAdapter,
  Client: ClientAdapter,
  Session: NoSessions,
  ReplayDetection: AssertionAdapter,
}

export function createAdapterFactory(parts: AdapterParts): (kind: string) => Adapter {
  return (kind) => new (kinds[kind] ?? EngineAdapter)(kind, parts)
}
