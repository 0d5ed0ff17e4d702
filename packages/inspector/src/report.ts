import { defaultLimits, type Limits, type McpServer } from '@toolwright/core'

/** Describes data of a server that clients cannot get over MCP. */
export function describeServer(server: McpServer): object {
  const { tools, prompts, resources, completions, ...findings } = server.explain()
  const { modules, leftOut, hints, overlaps, slowSchemas, undescribed } = findings
  const { callers, rows } = server.authorizationMatrix()
  return {
    identity: server.identity,
    allowsAnonymous: server.allowsAnonymous,
    plans: { tools, prompts, resources, completions },
    access: { callers, rows },
    notServed: { hints, leftOut, modules },
    findings: { overlaps, slowSchemas, undescribed },
    limits: describeLimits(server.limits),
  }
}

function describeLimits(limits: Limits): readonly object[] {
  const names = Object.keys(limits) as (keyof Limits)[]
  // Limits are text, because JSON has no Infinity.
  return names.map((name) => ({ name, value: String(limits[name]), isDefault: limits[name] === defaultLimits[name] }))
}
