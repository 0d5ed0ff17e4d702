import type {
  CompletionDefinition,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  ToolDefinition,
} from './definitions.js'
import type { Shelf } from './shelf.js'

/** What is served, by kind. */
export interface Shelves {
  readonly tools: Shelf<ToolDefinition>
  readonly prompts: Shelf<PromptDefinition>
  /** Those with a fixed URI. */
  readonly resources: Shelf<ResourceDefinition>
  readonly resourceTemplates: Shelf<ResourceTemplateDefinition>
  readonly completions: Shelf<CompletionDefinition>
}
