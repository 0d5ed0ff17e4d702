export function judgeAudit(printed: string): { readonly isGood: boolean; readonly text: string }
