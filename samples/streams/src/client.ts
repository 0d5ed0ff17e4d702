// A client of the server: `node dist/client.js upload FILE`, `download NAME
// FILE` or `follow`. URL changes the address.
import { createReadStream, createWriteStream } from 'node:fs'
import { basename } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { connect } from '@toolwright/client'
import type { FileTools } from './tools/file-tools.js'
import type { StationTools } from './tools/station-tools.js'

const url = process.env['URL'] ?? 'http://127.0.0.1:3000/mcp'
const [command, first = '', second = first] = process.argv.slice(2)

if (command === 'upload' && first !== '') await upload(first)
else if (command === 'download' && first !== '') await download(first, second)
else if (command === 'follow') await follow()
else {
  process.stderr.write(
    'Usage: node dist/client.js upload FILE | download NAME [FILE] | follow\n',
  )
  process.exitCode = 1
}

async function upload(file: string): Promise<void> {
  // #region upload
  await using client = await connect(url)
  const stream = await client
    .streams<FileTools>()
    .uploadFile({ name: basename(file) })
  const content = Readable.toWeb(
    createReadStream(file),
  ) as ReadableStream<Uint8Array>
  await content.pipeTo(stream.writable)
  console.log(await stream.done)
  // #endregion
}

async function download(name: string, file: string): Promise<void> {
  await using client = await connect(url)
  const stream = await client.streams<FileTools>().downloadFile({ name })
  await stream.readable.pipeTo(
    Writable.toWeb(createWriteStream(file)) as WritableStream<Uint8Array>,
  )
  console.log(await stream.done)
}

async function follow(): Promise<void> {
  await using client = await connect(url)
  // #region follow
  const stream = await client.streams<StationTools>().followStation()
  for await (const { celsius, at } of stream.readable)
    console.log(`${at}  ${celsius} °C`)
  // #endregion
}
