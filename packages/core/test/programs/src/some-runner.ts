// Runs TypeScript as Bun, Deno and ts-node do: no flag of Node's tells its name.
import '@oxc-node/core/register'
