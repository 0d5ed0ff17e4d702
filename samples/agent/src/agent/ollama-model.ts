import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from 'ai'
import { AgentError } from './ask.js'

/**
 * A model of Ollama, or of another server with OpenAI's chat completions, such
 * as llama.cpp or vLLM.
 */
export function ollamaModel(url: string, name: string): LanguageModel {
  const baseURL = new URL('/v1', url).href
  return createOpenAICompatible({
    name: 'ollama',
    baseURL,
    fetch: (...request) => connect(url, ...request),
  })(name)
}

async function connect(
  url: string,
  ...request: Parameters<typeof fetch>
): Promise<Response> {
  try {
    return await fetch(...request)
  } catch (error) {
    const { cause = error } = error as { cause?: unknown }
    const reason = (cause as { code?: string }).code ?? (cause as Error).message
    throw new AgentError(
      `No model at ${url} (${reason}). Start Ollama with \`ollama serve\`, or set OLLAMA_URL.`,
    )
  }
}
