import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import HomePage from './HomePage.vue'
import MarkdownLink from './MarkdownLink.vue'
import './styles.css'

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'aside-outline-after': () => h(MarkdownLink) }),
  enhanceApp({ app }) {
    app.component('HomePage', HomePage)
  },
}
