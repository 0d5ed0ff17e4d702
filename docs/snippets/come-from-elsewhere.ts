import express, { type Express } from 'express'
import type { FastifyInstance } from 'fastify'
import {
  createHost,
  McpContext,
  McpTool,
  type Static,
  ToolError,
  Type,
} from 'toolwright'
import { z } from 'zod'

const TransferInput = Type.Object({
  account: Type.String(),
  cents: Type.Integer({ minimum: 1, description: 'How much' }),
})

export class AccountTools {
  @McpTool({
    description: 'Transfers an amount',
    input: TransferInput,
    annotations: { destructiveHint: true },
  })
  async transfer(
    { account, cents }: Static<typeof TransferInput>,
    context: McpContext,
  ): Promise<string> {
    context.progress(1, 2, 'checking')
    if (account === '') throw new ToolError('There is no such account.')
    return `${cents} cents for ${account}`
  }
}

// #region zod
const BalanceInput = z.object({
  account: z.string().trim().toUpperCase(),
})

export class LedgerTools {
  @McpTool({
    description: 'Shows the balance of an account',
    input: BalanceInput,
  })
  balance({ account }: z.output<typeof BalanceInput>): object {
    return { content: [{ type: 'text', text: `${account} is empty` }] }
  }
}
// #endregion

export async function mountInExpress(app: Express): Promise<FastifyInstance> {
  // #region express
  const bank = await createHost({
    name: 'bank',
    version: '1.0.0',
    controllers: [AccountTools],
  })
  await bank.ready()

  const paths = /^\/(mcp|\.well-known\/oauth-protected-resource)(\/|$)/
  app.all(paths, (request, response) => bank.routing(request, response))
  app.use(express.json())
  // #endregion
  return bank
}
