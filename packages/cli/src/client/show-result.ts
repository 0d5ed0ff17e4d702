import { accessSync, constants, existsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { CommandError, usageError } from '../command-error.js'
import { json, note, oneLine, print, safeText } from '../terminal.js'

type SavedContent = { readonly data: string; readonly mimeType: string }

/**
 * Prints the result of a tool: texts as they are, structured content as JSON, and a description of everything else.
 *
 * @param file File for images, sounds and binary resources. If there are several files, numbers are added to the name.
 * @throws CommandError if the tool returned an error.
 */
export async function showResult(result: CallToolResult, file: string | undefined): Promise<void> {
  const { content, structuredContent, isError } = result
  const shown = content.filter((block) => !repeats(block, structuredContent))
  const lines = shown.map(describeBlock)
  if (structuredContent !== undefined) lines.push(json(structuredContent))
  if (isError === true) throw new CommandError(lines.join('\n') || 'The tool returned an error without a message.')
  const text = lines.map((line) => `${line}\n`).join('')
  await print(process.stdout.isTTY ? safeText(text) : text)
  save(content, file)
}

/** Checks the file of `--output` before the call, because the result of a call cannot be fetched again. */
export function checkOutput(file: string | undefined): void {
  if (file === undefined) return
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw usageError(`--output is '${file}', which is a folder. Give a file.`)
  }
  try {
    accessSync(existsSync(file) ? file : dirname(file), constants.W_OK)
  } catch (error) {
    throw usageError(`--output is '${file}', which cannot be written: ${(error as Error).message}`)
  }
}

/** Whether a text only repeats the structured content, for clients that do not read structured content. */
function repeats(block: ContentBlock, structured: unknown): boolean {
  if (block.type !== 'text' || structured === undefined) return false
  try {
    return isDeepStrictEqual(JSON.parse(block.text), structured)
  } catch {
    return false
  }
}

function describeBlock(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return `[${oneLine(block.name)}: ${oneLine(block.uri)}]`
  if (block.type === 'resource' && 'text' in block.resource) return block.resource.text
  const binary = binaryOf(block)
  if (binary === null) return `[${oneLine(block.type)}]`
  const bytes = Buffer.byteLength(binary.data, 'base64')
  return `[${block.type} ${oneLine(binary.mimeType)}, ${bytes} bytes]`
}

function binaryOf(block: ContentBlock): SavedContent | null {
  if (block.type === 'image' || block.type === 'audio') return block
  if (block.type !== 'resource' || !('blob' in block.resource)) return null
  return { data: block.resource.blob, mimeType: block.resource.mimeType ?? 'application/octet-stream' }
}

function save(content: readonly ContentBlock[], file: string | undefined): void {
  const binaries = content.map(binaryOf).filter((each) => each !== null)
  if (file === undefined) {
    if (binaries.length > 0) note('Pass --output FILE to save it.')
    return
  }
  if (binaries.length === 0) note(`The result has no image, sound or file, so ${file} was not written.`)
  for (const [index, { data }] of binaries.entries()) {
    const name = index === 0 ? file : numbered(file, index + 1)
    try {
      writeFileSync(name, Buffer.from(data, 'base64'))
    } catch (error) {
      throw new CommandError(`${name} cannot be written: ${(error as Error).message}`)
    }
    note(`Wrote ${name}.`)
  }
}

function numbered(file: string, number: number): string {
  const extension = extname(file)
  return `${file.slice(0, file.length - extension.length)}-${number}${extension}`
}
