// The content of results: texts, pictures, sounds, links and resources.
import { parseForDisplay } from '../forms/exact-numbers.js'
import { open } from '../state/route.js'
import { JsonView, TextView } from './json-view.js'
import { saveBase64 } from './save.js'

export interface Block {
  readonly type: string
  readonly text?: string
  readonly data?: string
  readonly mimeType?: string
  readonly uri?: string
  readonly name?: string
  readonly title?: string
  readonly description?: string
  readonly resource?: Contents
}

export interface Contents {
  readonly uri: string
  readonly mimeType?: string
  readonly text?: string
  readonly blob?: string
}

export function ContentBlocks({ blocks }: { readonly blocks: readonly Block[] }) {
  return (
    <div class="blocks">
      {blocks.map((block, index) => (
        <div class="block" key={index} data-type={block.type}>
          <span class="block-type">{captionOf(block.type)}</span>
          <BlockBody block={block} />
        </div>
      ))}
    </div>
  )
}

/** Such as `Resource link`. */
function captionOf(type: string): string {
  const words = type.slice(0, 40).replaceAll('_', ' ')
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

function BlockBody({ block }: { readonly block: Block }) {
  const { type, text, data, mimeType } = block
  if (type === 'text') return <PossiblyJson text={text ?? ''} />
  if (type === 'image' && typeof data === 'string') return <Picture data={data} type={mimeType ?? ''} />
  if (type === 'audio' && typeof data === 'string') return <Sound data={data} type={mimeType ?? ''} />
  if (type === 'resource_link') return <Link block={block} />
  if (type === 'resource' && block.resource !== undefined) return <ContentsView contents={block.resource} />
  return <JsonView value={block} />
}

/** Texts are often JSON for models. */
function PossiblyJson({ text }: { readonly text: string }) {
  if (/^\s*[[{]/.test(text) && text.length < 200_000) {
    try {
      return <JsonView value={parseForDisplay(text)} label="Text: JSON" />
    } catch {
      // It only looks like JSON.
    }
  }
  return <TextView text={text} />
}

/** Media types go into data URLs, so only plain ones do. */
const plainType = /^(image|audio)\/[\w.+-]{1,100}$/

const base64 = /^[A-Za-z0-9+/_=\s-]*$/

function Picture({ data, type }: { readonly data: string; readonly type: string }) {
  if (!plainType.test(type) || !base64.test(data)) return <p class="quiet">A picture of unknown type.</p>
  return (
    <figure>
      <img src={`data:${type};base64,${data}`} alt={`Result: ${type}`} />
      <figcaption>
        {type} · {sizeOf(data)} <Download data={data} type={type} />
      </figcaption>
    </figure>
  )
}

function Sound({ data, type }: { readonly data: string; readonly type: string }) {
  if (!plainType.test(type) || !base64.test(data)) return <p class="quiet">A sound of unknown type.</p>
  return (
    <figure>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <audio controls src={`data:${type};base64,${data}`} aria-label={`Result: ${type}`} />
      <figcaption>
        {type} · {sizeOf(data)} <Download data={data} type={type} />
      </figcaption>
    </figure>
  )
}

function Download({ data, type }: { readonly data: string; readonly type: string }) {
  const [, ending = 'bin'] = /^(?:image|audio|text)\/(?:x-)?(\w{1,10})/.exec(type) ?? []
  return base64.test(data) ? (
    <button type="button" class="link" onClick={() => saveBase64(`result.${ending}`, data, type)}>
      Download
    </button>
  ) : null
}

function sizeOf(data: string): string {
  const bytes = Math.floor((data.length * 3) / 4)
  return bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} KiB`
}

/** A link leads to the resource's view, never to a URL. */
function Link({ block: { uri = '', name, title, description, mimeType } }: { readonly block: Block }) {
  return (
    <div class="link-block">
      <button type="button" class="link" onClick={() => open('resources', uri)}>
        {title ?? name ?? uri}
      </button>
      <code class="uri">{uri}</code>
      {description === undefined ? null : <p class="help">{description.slice(0, 2000)}</p>}
      {mimeType === undefined ? null : <span class="tag">{mimeType.slice(0, 100)}</span>}
    </div>
  )
}

export function ContentsView({ contents: { uri, mimeType = '', text, blob } }: { readonly contents: Contents }) {
  return (
    <div class="contents">
      <p class="contents-head">
        <code class="uri">{uri}</code>
        {mimeType === '' ? null : <span class="tag">{mimeType.slice(0, 100)}</span>}
      </p>
      {text === undefined ? null : <PossiblyJson text={text} />}
      {blob === undefined ? null : <Blob data={blob} type={mimeType} />}
    </div>
  )
}

function Blob({ data, type }: { readonly data: string; readonly type: string }) {
  if (type.startsWith('image/')) return <Picture data={data} type={type} />
  if (type.startsWith('audio/')) return <Sound data={data} type={type} />
  return (
    <p class="quiet">
      Binary data, {sizeOf(data)} <Download data={data} type={type} />
    </p>
  )
}
