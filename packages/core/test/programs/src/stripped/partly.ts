// Names some constructor parameters with @Inject and leaves the others to decorator metadata, which tsx does not emit.
import {
  type AuthorizationPolicy,
  Authorize,
  type CallHook,
  container,
  Inject,
  injectable,
  McpTool,
  UseHooks,
} from '@toolwright/core'
import { createServer } from '@toolwright/server'

class Repo {}

@injectable()
class Ledger {
  constructor(
    readonly repo: Repo,
    @Inject('url') readonly url: string,
  ) {}
}

class Audit implements CallHook {
  constructor(
    @Inject('url') readonly url: string,
    readonly repo: Repo,
  ) {}

  onCompleted(): void {}
}

class Blocked implements AuthorizationPolicy {
  constructor(
    @Inject('url') readonly url: string,
    readonly repo: Repo,
    @Inject(Ledger) readonly ledger: Ledger,
  ) {}

  allows(): boolean {
    return true
  }
}

class SumTools {
  constructor(
    readonly repo: Repo,
    @Inject('url') readonly url: string,
  ) {}

  @McpTool({ description: 'Zero' })
  @UseHooks(Audit)
  @Authorize({ policy: Blocked })
  zero(): string {
    return '0'
  }
}

container.register('url', { useValue: 'https://example.com' })
const options = { name: 'partly', version: '1.0.0', controllers: [SumTools] }
const outcome = await createServer(options).then(
  (server) => String(server.explain()),
  (error: Error) => error.message,
)
process.stdout.write(`${outcome}\n`)
