import { loadConfig, Type } from 'toolwright'

export const config = loadConfig(
  Type.Object({
    OLLAMA_URL: Type.String({
      default: 'http://127.0.0.1:11434',
      pattern: '^https?://',
    }),
    OLLAMA_MODEL: Type.String({
      default: 'qwen3:4b',
      description: 'a model that can call tools',
    }),
    ROLES: Type.Array(Type.String(), {
      default: ['staff'],
      description: 'roles of the user for whom the agent acts',
    }),
    API_KEY: Type.Optional(
      Type.String({ minLength: 16, description: 'key of MCP clients' }),
    ),
    MAX_STEPS: Type.Integer({
      default: 8,
      minimum: 1,
      maximum: 100,
      description: 'limit of model responses per question',
    }),
  }),
)
