export function bundleSources(): Promise<Record<string, string>>
