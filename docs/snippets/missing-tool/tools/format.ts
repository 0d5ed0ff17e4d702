export const shorten = (text: string): string => text.slice(0, 80)
