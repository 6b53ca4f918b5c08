import { h } from 'vue'
import DefaultTheme from 'vitepress/theme'
import './style.css'

/* global __SITE_VERSION__ */
export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'doc-footer-before': () => h('p', { class: 'site-version' }, `comch4j ${__SITE_VERSION__}`)
    })
}
