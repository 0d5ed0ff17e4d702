/** The script of the page. The script shows the copy buttons, which are hidden if scripts are off. */
export const pageScript = `
const status = document.querySelector('[role=status]')
for (const button of document.querySelectorAll('button')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const source = button.previousElementSibling
    getSelection().selectAllChildren(source)
    try {
      await navigator.clipboard.writeText(source.textContent)
    } catch {
      document.execCommand('copy')
    }
    button.textContent = status.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy'; status.textContent = '' }, 2000)
  })
}
`
