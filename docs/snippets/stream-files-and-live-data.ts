import { connect } from '@toolwright/client'

export async function uploadParts(
  readToken: () => Promise<string>,
  parts: readonly Uint8Array[],
) {
  // #region connection
  await using client = await connect('https://example.com/mcp', {
    credentials: readToken,
  })
  const summaries = parts.map(async (part, index) => {
    const stream = await client.stream('upload_file', { name: `part-${index}` })
    const writer = stream.writable.getWriter()
    await writer.write(part)
    await writer.close()
    return stream.done
  })
  console.log(await Promise.all(summaries))
  // #endregion
}
