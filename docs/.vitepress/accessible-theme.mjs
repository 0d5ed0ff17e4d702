// Fixes the faults that axe reports in the default theme of VitePress 1.6: controls inside of other controls, and names that
// differ from the visible text.
import { basename } from 'node:path'

/** Replacements in components of the theme, by the name of the file. */
const replacements = {
  'VPSidebarItem.vue': [
    // The whole row is a button, and the arrow in it only a picture.
    [/role="button"\s+aria-label="toggle section"/, 'aria-hidden="true"'],
    [/(@keydown\.enter="onCaretClick")\s+tabindex="0"/, '$1'],
    [':tabindex="item.items && 0"', ':tabindex="item.items && 0" :aria-expanded="item.items && !collapsed"'],
  ],
  'VPNavBarSearchButton.vue': [
    // On narrow screens the text is hidden.
    [`:aria-label="translate('button.buttonAriaLabel')"`, `:title="translate('button.buttonAriaLabel')"`],
  ],
  'VPLocalSearchBox.vue': [
    [
      /role="button"\s+:aria-owns="[^"]+"\s+aria-expanded="true"\s+aria-haspopup="listbox"\s+aria-labelledby="localsearch-label"/,
      'role="dialog" aria-modal="true" :aria-label="buttonText"',
    ],
    [`:aria-label="[...p.titles, p.title].join(' > ')"`, ''],
    // The results are a list of links, and options of a list box must not contain links.
    [`:role="results?.length ? 'listbox' : undefined"`, ''],
    [/:aria-selected="[^"]+"\s+role="option"/, ''],
    [/<kbd :aria-label/g, '<kbd role="img" :aria-label'],
  ],
}

/** Plugin of Vite. Throws an error if a new version of the theme has another text, so that no fault is missed. */
export function mendTheme() {
  return {
    name: 'mend-theme',
    enforce: 'pre',
    transform(code, id) {
      if (!id.includes('/theme-default/') || !id.endsWith('.vue')) return null
      return (replacements[basename(id)] ?? []).reduce((text, [found, replacement]) => {
        const mended = text.replace(found, replacement)
        if (mended === text) throw new Error(`${basename(id)} does not contain ${found}`)
        return mended
      }, code)
    },
  }
}
