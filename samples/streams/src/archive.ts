import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { singleton, ToolError } from 'toolwright'

/** A stored file. */
export interface StoredFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** Files in the folder `ARCHIVE`, or in a temporary folder. */
@singleton()
export class Archive {
  readonly #files = new Map<string, StoredFile>()
  #folder: Promise<string> | undefined

  get files(): readonly StoredFile[] {
    return [...this.#files.values()]
  }

  /**
   * Stores a file under its name when all of it has arrived. A failed upload
   * leaves nothing behind.
   *
   * @throws ToolError if the content does not have the expected checksum.
   */
  async store(
    name: string,
    content: ReadableStream<Uint8Array>,
    expected?: string,
  ): Promise<StoredFile> {
    const folder = await this.#open()
    const part = join(folder, `${randomUUID()}.part`)
    const hash = createHash('sha256')
    let bytes = 0
    const counted = content.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          hash.update(chunk)
          bytes += chunk.length
          controller.enqueue(chunk)
        },
      }),
    )
    try {
      await counted.pipeTo(
        Writable.toWeb(
          createWriteStream(part, { flags: 'wx' }),
        ) as WritableStream<Uint8Array>,
      )
      const sha256 = hash.digest('hex')
      if (expected !== undefined && expected !== sha256) {
        throw new ToolError(
          `The file has the checksum ${sha256}, and not ${expected}. Upload it again.`,
        )
      }
      await rename(part, join(folder, name))
      const stored = { name, bytes, sha256 }
      this.#files.set(name, stored)
      return stored
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  }

  /** @throws ToolError for an unknown file. */
  async read(name: string): Promise<{
    readonly file: StoredFile
    readonly content: ReadableStream<Uint8Array>
  }> {
    const file = this.#files.get(name)
    if (file === undefined)
      throw new ToolError(
        `There is no file '${name}'. List them with list_files.`,
      )
    const path = join(await this.#open(), name)
    return {
      file,
      content: Readable.toWeb(
        createReadStream(path),
      ) as ReadableStream<Uint8Array>,
    }
  }

  #open(): Promise<string> {
    this.#folder ??= this.#create()
    return this.#folder
  }

  async #create(): Promise<string> {
    const { ARCHIVE: folder } = process.env
    if (folder === undefined) return mkdtemp(join(tmpdir(), 'archive-'))
    await mkdir(folder, { recursive: true })
    return folder
  }
}
