import { connect } from '@toolwright/client'

const errorOf = (url: string): Promise<unknown> => connect(url).catch((error: unknown) => error)

test('error messages contain neither the query nor the user of a URL', async () => {
  for (const url of ['http://127.0.0.1:9/mcp?api_key=s3cret', 'ws://ann:s3cret@127.0.0.1:9/ws?api_key=s3cret']) {
    // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
    const { message } = (await errorOf(url)) as Error
    expect(message).toContain('://127.0.0.1:9/')
    expect(message).not.toContain('s3cret')
  }
})

test('a user in a URL of HTTP is rejected with the fix', async () => {
  expect(await errorOf('http://ann:s3cret@127.0.0.1:9/mcp')).toStrictEqual(
    new TypeError("The URL 'http://127.0.0.1:9/mcp' contains a user. Pass `credentials` or `headers` instead."),
  )
})
