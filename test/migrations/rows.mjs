// The same server in other frameworks: versions to install, and how each is started.
import { join } from 'node:path'

/** Runs TypeScript with the metadata of decorators. */
const loader = import.meta.resolve('@oxc-node/core/register')
const run = { args: ['--import', loader, 'main.ts'] }

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} folder Below `before/`.
 * @property {Readonly<Record<string, string>>} packages
 * @property {readonly string[]} [build] Program below `node_modules/.bin` that compiles it, with its arguments.
 * @property {readonly string[]} args Arguments of `node` that serve it over stdio.
 */

/** @type {readonly Row[]} */
export const rows = [
  {
    name: 'official SDK 1',
    folder: 'official-sdk-1',
    packages: { '@modelcontextprotocol/sdk': '1.32.2', zod: '4.1.13' },
    ...run,
  },
  {
    name: 'official SDK 2',
    folder: 'official-sdk-2',
    packages: { '@modelcontextprotocol/server': '2.4.0', zod: '4.2.0' },
    ...run,
  },
  {
    name: 'FastMCP for TypeScript',
    folder: 'fastmcp-typescript',
    packages: { fastmcp: '4.20.16', zod: '4.1.13' },
    ...run,
  },
  {
    name: 'MCP-Nest',
    folder: 'mcp-nest',
    packages: {
      '@rekog/mcp-nest': '2.0.5',
      '@modelcontextprotocol/core': '2.4.0',
      '@modelcontextprotocol/node': '2.1.2',
      '@modelcontextprotocol/server': '2.4.0',
      '@nestjs/common': '11.1.9',
      '@nestjs/core': '11.1.9',
      '@nestjs/microservices': '11.1.9',
      '@nestjs/platform-express': '11.1.9',
      express: '5.1.0',
      'reflect-metadata': '0.2.2',
      zod: '4.3.5',
    },
    ...run,
  },
  {
    name: 'xmcp',
    folder: 'xmcp',
    packages: { xmcp: '1.1.3', '@xmcp-dev/compiler': '1.1.3', zod: '4.2.0', typescript: '5.9.3' },
    build: ['xmcp', 'build'],
    args: [join('dist', 'stdio.js')],
  },
]
