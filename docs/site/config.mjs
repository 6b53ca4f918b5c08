// The site of the manual: its order, and how VitePress makes it. scripts/dev/site.sh runs this.
const version = process.env.SITE_VERSION ?? 'unknown'

const ICON =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2563eb"/>' +
      '<path d="M3 6h10M3 10h10" stroke="#fff" stroke-width="2"/></svg>'
  )

/** As forges make the anchors of headings, so that a link to a heading is the same here and there. */
function slugify(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

/**
 * On a narrow screen each row of a table with prose becomes a card (theme/style.css), whose lines need the names of their
 * columns. Tables of short cells, and of figures alone, stay tables.
 */
function cards(md) {
  md.core.ruler.push('cards', ({ tokens }) => {
    let table, names, column
    for (const [at, token] of tokens.entries()) {
      if (token.type === 'table_open') {
        table = { token, long: 0 }
        names = []
      } else if (token.type === 'tr_open') {
        column = 0
      } else if (token.type === 'th_open') {
        names.push(tokens[at + 1].content.replace(/`/g, ''))
      } else if (token.type === 'td_open') {
        token.attrSet('data-column', names[column++])
        table.long = Math.max(table.long, tokens[at + 1].content.length)
      } else if (token.type === 'table_close' && table.long > (names.length > 2 ? 25 : 90)) {
        table.token.attrSet('class', 'cards')
      }
    }
  })
  md.renderer.rules.table_open = (tokens, at, options, env, self) => {
    tokens[at].attrSet('tabindex', '0')
    return self.renderToken(tokens, at, options)
  }
}

/** Who searches wants to use the library: what is for contributors, and long lists of functions, come last. */
function boost(id) {
  const page = id.split('#')[0]
  if (/\/contributing\//.test(page) || /\/(security|changelog)\.html/.test(page)) return 0.1
  if (/\/(functions|performance-figures)\.html/.test(page)) return 0.3
  return /\/(start|concepts)\//.test(page) ? 2 : 1
}

const pages = (...entries) => entries.map(([text, link]) => ({ text, link }))

/** The menu of the pages that only contributors need; users have another. */
const CONTRIBUTING = [
  {
    text: 'Contributing',
    items: pages(
      ['How to contribute', '/contributing/'],
      ['Architecture', '/contributing/architecture'],
      ['The emulated device', '/contributing/emulator-inside'],
      ['Tests', '/contributing/testing'],
      ['Notebook', '/contributing/notebook'],
      ['Writing', '/contributing/writing'],
      ['Making a release', '/contributing/releasing'],
      ['The manual for users', '/']
    )
  }
]

export default {
  title: 'comch4j',
  description: 'Java for DOCA Comch, the messaging channel between a host and its BlueField DPU',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: ICON }]],
  base: process.env.SITE_BASE ?? '/',
  srcDir: 'pages',
  outDir: process.env.SITE_OUT,
  cleanUrls: false,
  lastUpdated: false,
  vite: { define: { __SITE_VERSION__: JSON.stringify(version) }, build: { chunkSizeWarningLimit: 4000 } },
  markdown: {
    html: false,
    anchor: { slugify },
    config: cards,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' }
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: { detailedView: true, miniSearch: { searchOptions: { boostDocument: boost } } }
    },
    outline: { level: [2, 3] },
    externalLinkIcon: true,
    nav: [
      { text: 'Start', link: '/start/what-it-is' },
      { text: 'Which API is mine', link: '/start/which-api' },
      ...(process.env.SITE_JAVADOC === '0' ? [] : [{ text: 'Javadoc', link: '/javadoc/index.html', target: '_self' }]),
      { text: version.split(',')[0], link: '/changelog' }
    ],
    sidebar: {
      '/contributing/': CONTRIBUTING,
      '/': [
        {
          text: 'Start',
          items: pages(
            ['What it is, and what not', '/start/what-it-is'],
            ['Ten minutes without a card', '/start/ten-minutes'],
            ['1. A message', '/start/1-a-message'],
            ['2. Many clients', '/start/2-many-clients'],
            ['3. A buffer without a copy', '/start/3-a-buffer'],
            ['4. A million records', '/start/4-records'],
            ['5. When the other side dies', '/start/5-the-other-side-dies'],
            ['Which API is mine', '/start/which-api']
          )
        },
        {
          text: 'Concepts',
          items: pages(
            ['Life of a connection', '/concepts/connection'],
            ['Who progresses what', '/concepts/progress'],
            ['Threads', '/concepts/threads'],
            ['Who owns a buffer', '/concepts/buffer'],
            ['Registered memory', '/concepts/memory'],
            ['Back-pressure', '/concepts/back-pressure'],
            ['Closing', '/concepts/closing'],
            ['Glossary', '/concepts/glossary']
          )
        },
        {
          text: 'How-to',
          collapsed: true,
          items: [
            {
              text: 'Cookbook',
              link: '/cookbook',
              collapsed: false,
              items: pages(
                ['Reconnect', '/cookbook#my-program-must-reconnect'],
                ['Shut down', '/cookbook#shut-down-without-losing-messages'],
                ['Ask and get an answer', '/cookbook#ask-and-get-an-answer'],
                ['Serve many clients', '/cookbook#serve-many-clients'],
                ['Keep the newest value', '/cookbook#keep-only-the-newest-value'],
                ['Send to many peers', '/cookbook#send-the-same-data-to-many-peers'],
                ['Read records in place', '/cookbook#read-records-without-copying-them'],
                ['Use several threads', '/cookbook#use-several-threads-for-one-connection'],
                ['Know what a consumer is for', '/cookbook#know-what-a-consumer-is-for'],
                ['Read and write a remote file', '/cookbook#read-and-write-a-remote-file']
              )
            },
            { text: 'Writing a service', link: '/service' },
            {
              text: 'Samples to start',
              link: '/samples',
              collapsed: true,
              items: pages(
                ['File drop', '/samples/filedrop'],
                ['Telemetry', '/samples/telemetry'],
                ['Key-value service', '/samples/keyvalue'],
                ['Block device', '/samples/blockdevice'],
                ['DMA', '/samples/dma'],
                ['File transfer', '/samples/filetransfer'],
                ['gRPC', '/samples/grpc']
              )
            },
            ...pages(
              ['From C, JNI or Unix sockets', '/coming-from'],
              ['Sockets', '/sockets'],
              ['Calls', '/rpc'],
              ['Programs that exist', '/relay'],
              ['Netty and gRPC', '/netty'],
              ['Slots and records', '/records'],
              ['Labels of consumers', '/labels'],
              ['The endpoint API', '/channel'],
              ['DMA', '/dma'],
              ['The DPA and MsgQ', '/dpa'],
              ['Metrics, events, logs', '/observability'],
              ['Testing your program', '/testing-your-program'],
              ['Packaging', '/packaging'],
              ['GraalVM native image', '/native-image'],
              ['Containers', '/emulator#in-containers']
            )
          ]
        },
        {
          text: 'On hardware',
          collapsed: true,
          items: pages(
            ['On a real BlueField', '/bluefield'],
            ['Checklist', '/bluefield#checklist'],
            ['Conformance kit', '/bluefield#the-conformance-kit'],
            ['When it does not work', '/bluefield#when-it-does-not-work']
          )
        },
        {
          text: 'Reference',
          collapsed: true,
          items: pages(
            ['Options and environment', '/reference/options'],
            ['Errors', '/reference/errors'],
            ['What a success means', '/reliability'],
            ['What works', '/reference/features'],
            ['Command line: comch', '/comch'],
              ['Functions of DOCA', '/functions']
          )
        },
        {
          text: 'Performance',
          collapsed: true,
          items: pages(['Advice', '/performance'], ['Method and figures', '/performance-figures'])
        },
        {
          text: 'The emulated device',
          collapsed: true,
          items: pages(
            ['Running it', '/emulator'],
            ['Injecting faults', '/emulator-faults']
          )
        },
        {
          text: 'The project',
          collapsed: true,
          items: pages(
            ['Security', '/security'],
            ['Changelog', '/changelog'],
            ['Contributing', '/contributing/']
          )
        }
      ]
    }
  }
}
