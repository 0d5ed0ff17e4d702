import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Payload } from '@nestjs/microservices'
import {
  McpController,
  McpStrategy,
  Prompt,
  Resource,
  StdioTransport,
  Tool,
} from '@rekog/mcp-nest'
import { z } from 'zod'

@McpController()
class UnitsController {
  @Tool({
    name: 'convert_length',
    description: 'Converts a length to feet',
    parameters: z.object({ metres: z.number().describe('Length in metres') }),
    outputSchema: z.object({ feet: z.number() }),
  })
  convertLength(@Payload() { metres }: { metres: number }) {
    if (metres < 0) {
      return {
        isError: true,
        content: [{ type: 'text', text: 'A length is not negative.' }],
      }
    }
    return { feet: metres / 0.3048 }
  }

  @Resource({ name: 'units', uri: 'units://list', mimeType: 'text/plain' })
  units(@Payload() { uri }: { uri: string }) {
    return { contents: [{ uri, mimeType: 'text/plain', text: 'metre, foot' }] }
  }

  @Prompt({
    name: 'explain_unit',
    description: 'Explains a unit',
    parameters: z.object({ unit: z.string() }),
  })
  explainUnit(@Payload() { unit }: { unit: string }) {
    return {
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: `Explain the unit ${unit}.` },
        },
      ],
    }
  }
}

const strategy = new McpStrategy({
  name: 'units',
  version: '1.0.0',
  transports: [new StdioTransport()],
})

@Module({ controllers: [UnitsController] })
class AppModule {}

const app = await NestFactory.createMicroservice(AppModule, {
  strategy,
  logger: false,
})
await app.listen()
