import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { McpTool, Model, Type } from 'toolwright'
import { glyphIcons } from '../icons.js'

class SecretRequest extends Model(
  Type.Object({
    kind: Type.Enum(['password', 'token', 'uuid'], {
      description: 'Kind of secret',
    }),
  }),
) {}

class Secret extends Model(
  Type.Object({ kind: Type.String(), secret: Type.String() }),
) {}

/** Without characters that are easily confused. */
const alphabet =
  'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!#$%&*+-=?@_'
const passwordLength = 20

const generators = {
  password: () =>
    Array.from(
      { length: passwordLength },
      () => alphabet[randomInt(alphabet.length)],
    ).join(''),
  token: () => randomBytes(32).toString('base64url'),
  uuid: () => randomUUID(),
}

export class SecretTools {
  /** The schemas come from the signature: both types are `Model` classes. */
  @McpTool({
    title: 'Generate Secret',
    description:
      'Generates a random password, token or UUID, which is not stored',
    icons: glyphIcons('✱'),
    annotations: { readOnlyHint: true, openWorldHint: false },
  })
  generateSecret({ kind }: SecretRequest): Secret {
    return { kind, secret: generators[kind]() }
  }
}
