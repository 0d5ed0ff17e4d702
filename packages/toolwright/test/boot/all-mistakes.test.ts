import {
  anyOf,
  apiKeys,
  BootError,
  createHost,
  jwtBearer,
  McpTool,
  type Static,
  serve,
  Type,
  UseHooks,
} from 'toolwright'

const Sum = Type.Object({ a: Type.Number(), at: Type.BigInt() })

class SumTools {
  // @ts-expect-error -- the compiler reports it, too
  @McpTool
  subtract(): void {}

  // @ts-expect-error -- the compiler reports it, too
  @McpTool({ input: Sum, annotations: { readonly: true } })
  @UseHooks()
  add(_sum: Static<typeof Sum>): void {}

  @McpTool('multiply numbers')
  @UseHooks({ onInvoked: () => undefined } as never)
  multiply(): void {}
}

const options = {
  name: 'sums',
  version: '1.0.0',
  controllers: [SumTools],
  fastify: { logger: false },
  waive: ['openbind'] as never,
  authentication: anyOf(
    jwtBearer({
      issuer: 'http://login.example.com',
      jwks: 'https://login.example.com/keys',
      audience: 'https://mcp.example.com/mcp',
    }),
    apiKeys({ keys: [{ key: 'short', subject: 'build' }] }),
  ),
}

const all = [
  'The server cannot start: 9 problems found.',
  "  1. jwtBearer: issuer is 'http://login.example.com/'. An attacker on the network could forge its responses. " +
    'Give an https: URL. http: is allowed for this machine only. [bad-option]',
  '  2. apiKeys: keys[0]: the key has fewer than 16 characters and can be guessed. `openssl rand -base64 32` prints ' +
    'a new key. [bad-option]',
  "  3. waive has the string 'openbind', which is not a waiver. Did you mean 'open-bind'? " +
    "Give one of: 'open-bind'. [bad-option]",
  "  4. @McpTool on 'SumTools.subtract' has no parentheses. Write @McpTool(). [uncalled-decorator]",
  '  5. SumTools.add: @UseHooks() names no hook. Write @UseHooks(MyHook), or remove it. [bad-hook]',
  '  6. SumTools.add: annotations.readonly is not an option. Did you mean readOnlyHint? [bad-option]',
  '  7. SumTools.add: the input schema has the type bigint at properties/at, which no JSON value has. ' +
    'Use a type of JSON. [bad-schema]',
  "  8. SumTools.multiply: 'multiply numbers' is not a valid tool name. " +
    'Use 1 to 128 of the characters A-Z a-z 0-9 _ . - [bad-name]',
  '  9. SumTools.multiply, its hooks: a plain object is not a hook. ' +
    'Add one of the methods onInvoking, around, onCompleted, onFailed, onInputRequired. [bad-hook]',
].join('\n')

test.each([
  ['createHost', createHost],
  ['serve', serve],
])('%s reports mistakes of every kind in one error', async (_name, start) => {
  const error: unknown = await start(options).then(
    () => null,
    (reason: unknown) => reason,
  )

  expect(error).toBeInstanceOf(BootError)
  expect((error as BootError).message).toBe(all)
})
