import { type ResourceMetadata } from 'xmcp'

export const metadata: ResourceMetadata = {
  name: 'units',
  mimeType: 'text/plain',
}

export default function units() {
  return 'metre, foot'
}
