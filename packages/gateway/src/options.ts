import {
  custom,
  type Diagnostics,
  flag,
  isObject,
  nested,
  type OptionsOf,
  readNamedOptions,
  text,
} from '@toolwright/core/options'

const healthOptions = {
  /** Name of the machine in the response. Default: the name of the server, because a host name is internal. */
  machine: text({ fix: "Give a string, such as 'web-1'." }),
}

export interface GatewayHealth extends OptionsOf<typeof healthOptions> {}

export const gatewayOptions = {
  /**
   * File with the identity of the server: JSON, YAML or TOML. Default: `appsettings.json` in the working directory, if it
   * exists.
   */
  config: text({
    pattern: /\.(?:jsonc?|ya?ml|toml)$/i,
    fix: 'Give a file that ends with .json, .yaml, .yml or .toml.',
  }),
  /** Section with the identity. `:` separates nested sections. Default: `ServerInfo`. */
  section: text({ default: 'ServerInfo', pattern: /./, fix: "Give the name of a section, such as 'ServerInfo'." }),
  /** Serves `GET /health`, as text or JSON depending on `Accept`, without authentication. Default: false. */
  health: custom<boolean | GatewayHealth, boolean | GatewayHealth>('`true` or `GatewayHealth`', checkHealth, {
    default: false,
  }),
  /**
   * Counts calls. `GET /metrics` returns the counts as JSON, only for tools that the caller can see, and requires the same
   * credentials as the endpoint. Default: false.
   */
  metrics: flag({ default: false }),
}

/** Options of `gateway`, besides the options of the host. */
export interface GatewayOptions extends OptionsOf<typeof gatewayOptions> {}

export function readGatewayOptions(given: GatewayOptions, diagnostics: Diagnostics) {
  return readNamedOptions(gatewayOptions, given, { prefix: 'gateway: ' }, diagnostics)
}

function checkHealth(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (typeof given === 'boolean') return true
  if (!isObject(given)) {
    diagnostics.addBadOption(option, given, 'Give true, or an object with `machine`.')
    return false
  }
  const before = diagnostics.count
  nested(healthOptions).read(given, option, diagnostics)
  return diagnostics.count === before
}
