// Runs TypeScript like Bun, Deno and ts-node: no flag of Node reveals the runner.
import '@oxc-node/core/register'
