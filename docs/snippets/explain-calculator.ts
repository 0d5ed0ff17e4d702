import { createServer } from 'toolwright'

const tools = new URL('../../../samples/calculator/dist/tools/', import.meta.url)
const server = await createServer({ name: 'calculator', version: '1.0.0', scan: tools })
console.log(String(server.explain()))
