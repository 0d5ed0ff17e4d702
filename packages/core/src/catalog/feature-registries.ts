import type {
  CompletionDefinition,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  ToolDefinition,
} from './definitions.js'
import type { FeatureRegistry } from './feature-registry.js'

/** The served features, by kind. */
export interface FeatureRegistries {
  readonly tools: FeatureRegistry<ToolDefinition>
  readonly prompts: FeatureRegistry<PromptDefinition>
  /** Resources with a fixed URI. */
  readonly resources: FeatureRegistry<ResourceDefinition>
  readonly resourceTemplates: FeatureRegistry<ResourceTemplateDefinition>
  readonly completions: FeatureRegistry<CompletionDefinition>
}
