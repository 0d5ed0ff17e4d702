export function bundleLibraries(): Promise<Record<string, string>>
