// Compiled with the other tests and never run: the public type of a server hides members for transports.
import type { McpServer } from '@toolwright/core'
import { expectSame } from './expect-type.js'

expectSame<
  keyof McpServer,
  | 'allowsAnonymous'
  | 'authorizationMatrix'
  | 'callTool'
  | 'catalog'
  | 'changes'
  | 'close'
  | 'complete'
  | 'explain'
  | 'metrics'
  | 'gauges'
  | 'getPrompt'
  | 'identity'
  | 'inFlight'
  | 'limits'
  | 'listPrompts'
  | 'listResourceTemplates'
  | 'listResources'
  | 'listTools'
  | 'log'
  | 'readResource'
  | 'revisions'
>()

expectSame<keyof McpServer['inFlight'], 'count' | 'idle' | 'isFull' | 'max' | 'rejected'>()
