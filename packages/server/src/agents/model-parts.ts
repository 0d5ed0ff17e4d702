import type { CallToolResult } from '@toolwright/core'

export type ModelPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image' | 'audio' | 'file'
      /** Base64. */
      readonly data: string
      readonly mimeType: string
      readonly name: string
    }

/** Texts for a result without any content, because vendors reject empty text. */
const [done, failed] = ['Done.', 'The tool failed.']

/**
 * Selects what the model gets of a result. An error: its text. Otherwise the structured content, if there is any, in place of
 * all text. Images, audio and files always follow.
 */
export function toModelParts(result: CallToolResult): readonly ModelPart[] {
  const { content, structuredContent: structured } = result
  const parts = content.map(toPart)
  const isStructured = structured !== undefined && (result.isError !== true || !parts.some(isText))
  const shown = isStructured
    ? [textPart(JSON.stringify(structured)), ...parts.filter((part) => !isText(part))]
    : parts.filter((part) => !isText(part) || part.text !== '')
  return shown.length === 0 ? [textPart(result.isError === true ? failed : done)] : shown
}

export function toModelText(parts: readonly ModelPart[]): string | null {
  return parts.every(isText) ? parts.map(({ text }) => text).join('\n') : null
}

function isText(part: ModelPart): part is ModelPart & { readonly type: 'text' } {
  return part.type === 'text'
}

function textPart(text: string): ModelPart {
  return { type: 'text', text }
}

type Block = CallToolResult['content'][number]

function toPart(block: Block): ModelPart {
  switch (block.type) {
    case 'text':
      return textPart(block.text)
    case 'image':
    case 'audio':
      return { type: block.type, data: block.data, mimeType: block.mimeType, name: block.type }
    case 'resource':
      return toResourcePart(block)
    default:
      // A model cannot open a link, but can pass it on to the user or to another tool.
      return textPart(JSON.stringify(block))
  }
}

function toResourcePart({ resource }: Block & { readonly type: 'resource' }): ModelPart {
  const { uri, text, blob, mimeType = 'application/octet-stream' } = resource
  if (blob === undefined) return textPart(text ?? uri)
  const type = mimeType.startsWith('image/') ? 'image' : mimeType.startsWith('audio/') ? 'audio' : 'file'
  return { type, data: blob, mimeType, name: uri.slice(uri.lastIndexOf('/') + 1) || 'file' }
}
