import { connectStreams } from '@toolwright/streams/client'

export async function compareUploads(url: string, readToken: () => Promise<string>, parts: readonly Uint8Array[]) {
  // #region connection
  await using connection = await connectStreams(url, { credentials: readToken })
  const summaries = parts.map(async (part, index) => {
    const stream = connection.open('upload_file', { name: `part-${index}` })
    const writer = stream.writable.getWriter()
    await writer.write(part)
    await writer.close()
    return stream.done
  })
  console.log(await Promise.all(summaries))
  // #endregion
}
