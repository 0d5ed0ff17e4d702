import { useRoute } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h, nextTick, onMounted, watch } from 'vue'
import HomePage from './HomePage.vue'
import MarkdownLink from './MarkdownLink.vue'
import './styles.css'

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute()
    onMounted(() =>
      watch(
        () => route.path,
        () => nextTick(showOpenPage),
        { immediate: true },
      ),
    )
  },
  Layout: () => h(DefaultTheme.Layout, null, { 'aside-outline-after': () => h(MarkdownLink) }),
  enhanceApp({ app }) {
    app.component('HomePage', HomePage)
  },
}

/** Scrolls the sidebar to the open page. */
function showOpenPage() {
  const sidebar = document.querySelector('.VPSidebar')
  const active = [...(sidebar?.querySelectorAll('.is-link.is-active') ?? [])].at(-1)
  if (sidebar === null || active === undefined) return
  const { top, bottom } = active.getBoundingClientRect()
  if (top < 0 || bottom > window.innerHeight) sidebar.scrollTop += top - window.innerHeight / 3
}
