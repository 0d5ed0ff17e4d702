/** Opens a page in the user's browser. Without a browser, the user can open the printed address. */
export async function openInBrowser(url: string): Promise<void> {
  const { default: open } = await import('open')
  await open(url).catch(() => undefined)
}
