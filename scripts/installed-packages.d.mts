export function packagesInstalledWith(name: string): string[]
