import type { EnabledDecision } from '../context/enabled-decision.js'
import { Diagnostics } from '../errors/diagnostics.js'
import { adviceOn } from '../options/check-names.js'
import type { CatalogEntry } from './definitions.js'
import type { EnabledState } from './enabled-state.js'
import { type FeatureRegistries, type FeatureRegistry, watchEnabled } from './feature-registry.js'
import { readSelection, type Tagged } from './read-selection.js'

export class Enabling {
  /** Called for each decision of this server, before clients are notified. */
  onDecided: (decisions: readonly EnabledDecision[]) => void = () => undefined

  constructor(
    private readonly registries: FeatureRegistries,
    readonly state: EnabledState,
  ) {}

  decide(method: 'enable' | 'disable', which: string | Tagged): void {
    const diagnostics = new Diagnostics()
    const [by, values] = readSelection(method, which, diagnostics)
    for (const value of values) this.#checkKnown(method, by, value, diagnostics)
    diagnostics.throwIfAny(`Features cannot be ${method}d`)
    // Other nodes get the decisions before their clients are notified of the changed lists.
    this.#change(() => this.onDecided(this.state.decide(by, values, method === 'enable')))
  }

  adopt(decisions: readonly EnabledDecision[]): void {
    this.#change(() => this.state.adopt(decisions))
  }

  #change(change: () => void): void {
    const { tools, prompts, resources, resourceTemplates, completions } = this.registries
    const notify = [
      watchEnabled(tools),
      watchEnabled(prompts),
      watchEnabled(resources),
      watchEnabled(resourceTemplates),
      watchEnabled(completions),
    ]
    change()
    for (const notifyOf of notify) notifyOf()
  }

  #checkKnown(method: string, by: EnabledDecision['by'], value: string, diagnostics: Diagnostics): void {
    if (this.state.hasDecision(by, value)) return
    const { tools, prompts, resources, resourceTemplates, completions } = this.registries
    const known = new Set(
      by === 'name'
        ? [tools, prompts, resources, resourceTemplates].flatMap((registry) => [...registry.keys()])
        : [tools, prompts, resources, resourceTemplates, completions].flatMap(tagsOf),
    )
    if (known.has(value)) return
    const advice = adviceOn(value, [...known], 'The report of explain() lists all names and tags.')
    diagnostics.add('bad-option', `catalog.${method}: no feature has the ${by} '${value}'. ${advice}`)
  }
}

function tagsOf({ all }: Pick<FeatureRegistry<CatalogEntry>, 'all'>): readonly string[] {
  return all.flatMap(({ tags }) => tags)
}
