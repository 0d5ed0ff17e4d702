// Ends with an uncaught boot error: a dependency two levels down cannot be created.
import { createServer, injectable, McpTool } from '@toolwright/core'

@injectable()
class Mailer {
  constructor() {
    throw new Error('no mail server')
  }
}

@injectable()
class Outbox {
  constructor(readonly mailer: Mailer) {}
}

@injectable()
class MailTools {
  constructor(readonly outbox: Outbox) {}

  @McpTool({ description: 'Send' })
  send(): void {}
}

await createServer({ name: 'mail', version: '1.0.0', controllers: [MailTools] })
