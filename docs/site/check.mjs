// Looks at the site in Chromium: every page, link and anchor, the search, a block of code that is copied, narrow screens
// and dark mode. Ends with 1 and a line for each fault.
//
//   CHROMIUM=/usr/bin/chromium node check.mjs SITE SCREENSHOTS
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { chromium } from 'playwright-core'

const [site, shots] = process.argv.slice(2)
const base = process.env.SITE_BASE ?? '/'
const NARROW = 360
const WIDTHS = [NARROW, 800, 1000]
const SEARCHES = [
  ['back-pressure', '/concepts/back-pressure'],
  ['trySend', '.html'],
  ['DOCA_EMU_FAULTS', '/emulator-faults'],
  ['fault', '/emulator-faults'],
  ['producer', '/concepts/']
]
const FOR_CONTRIBUTORS = /\/(contributing\/|functions\.html)/
const SHOWN = [
  'index.html', 'start/what-it-is.html', 'start/which-api.html', 'start/3-a-buffer.html', 'concepts/buffer.html',
  'reference/errors.html', 'performance.html'
]
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
const faults = new Set()

function serve() {
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://site').pathname)
    const file = path.join(site, name.startsWith(base) ? name.slice(base.length) : name, name.endsWith('/') ? 'index.html' : '')
    if (!fs.existsSync(file) || !fs.statSync(file).isFile()) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' })
    fs.createReadStream(file).pipe(response)
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

/** All pages but those of the Javadoc, which has tests of its own. */
function pagesOf(folder, below = '') {
  return fs.readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(below, entry.name)
    if (entry.isDirectory()) return ['javadoc', 'source', 'assets'].includes(name) ? [] : pagesOf(folder, name)
    return name.endsWith('.html') && name !== '404.html' ? [name] : []
  })
}

const server = await serve()
const origin = `http://127.0.0.1:${server.address().port}`
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: process.getuid() === 0 ? ['--no-sandbox'] : []
})
const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
const page = await context.newPage()
let at = ''
page.on('console', (message) => {
  if (['error', 'warning'].includes(message.type())) faults.add(`${at}: the console says: ${message.text()}`)
})
page.on('pageerror', (error) => faults.add(`${at}: ${error.message}`))
page.on('response', (response) => {
  if (response.status() >= 400) faults.add(`${at}: ${response.status()} for ${response.url()}`)
})
page.on('request', (request) => {
  const url = request.url()
  if (!url.startsWith(origin) && !url.startsWith('data:')) faults.add(`${at}: asks another server: ${url}`)
})

async function open(name) {
  at = name
  await page.goto(`${origin}${base}${name}`, { waitUntil: 'load' })
  await page.waitForSelector('.VPContent')
}

const links = [] // page, target, text
const ids = new Map()
const names = pagesOf(site)

async function everyPage() {
  for (const name of names) {
    await page.setViewportSize({ width: 1280, height: 900 })
    await open(name)
    const found = await page.evaluate(() => ({
      ids: [...document.querySelectorAll('[id]')].map((element) => element.id),
      links: [...document.querySelectorAll('a[href]')].map((a) => a.href),
      broken: [...document.images].filter((image) => image.complete && image.naturalWidth === 0).map((image) => image.src),
      version: document.querySelector('.site-version')?.textContent ?? '',
      headings: document.querySelectorAll('.vp-doc h1').length
    }))
    ids.set(name, new Set(found.ids))
    found.links.forEach((target) => links.push([name, target]))
    found.broken.forEach((image) => faults.add(`${name}: no image at ${image}`))
    if (!/comch4j \d/.test(found.version)) faults.add(`${name}: does not tell its version`)
    if (found.headings !== 1) faults.add(`${name}: has ${found.headings} headings of the first level`)
    for (const screen of WIDTHS) {
      await page.setViewportSize({ width: screen, height: 800 })
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      if (width > screen) faults.add(`${name}: ${width} px wide on a screen of ${screen} px`)
    }
  }
}

function everyLink() {
  const checked = new Set()
  for (const [name, target] of links) {
    const url = new URL(target)
    if (url.origin !== origin || checked.has(target)) continue
    checked.add(target)
    let file = decodeURIComponent(url.pathname).slice(base.length)
    if (file === '' || file.endsWith('/')) file += 'index.html'
    if (!fs.existsSync(path.join(site, file))) {
      faults.add(`${name}: leads to ${file}, which is not there`)
    } else if (url.hash !== '' && ids.has(file) && !ids.get(file).has(decodeURIComponent(url.hash.slice(1)))) {
      faults.add(`${name}: leads to ${file}${url.hash}, and there is no such anchor`)
    }
  }
  return checked.size
}

async function search() {
  await page.setViewportSize({ width: 1280, height: 900 })
  for (const [term, expected] of SEARCHES) {
    await open('index.html')
    await page.click('#local-search button, .VPNavBarSearch button')
    await page.fill('.VPLocalSearchBox input', term)
    const first = page.locator('.VPLocalSearchBox .result').first()
    try {
      await first.waitFor({ timeout: 5000 })
      const targets = await page.locator('.VPLocalSearchBox .result').evaluateAll((all) => all.slice(0, 5).map((a) => a.href))
      if (!targets.some((target) => target.includes(expected))) {
        faults.add(`the search for ${term} does not find ${expected}, but ${targets}`)
      }
      for (const target of targets.filter((each) => FOR_CONTRIBUTORS.test(each))) {
        faults.add(`the search for ${term} finds ${target} among the first`)
      }
      if (term === SEARCHES[0][0]) await page.screenshot({ path: path.join(shots, 'search.png') })
      await first.click()
      await page.waitForSelector('.VPLocalSearchBox', { state: 'detached' })
    } catch (e) {
      faults.add(`the search for ${term} finds nothing: ${e.message.split('\n')[0]}`)
    }
  }
}

async function copy() {
  await open(names.find((name) => name.startsWith('start/1')) ?? names[0])
  const block = page.locator('div[class*="language-"]').first()
  await block.hover()
  await block.locator('button.copy').click()
  const expected = (await block.locator('code').innerText()).trim()
  const copied = (await page.evaluate(() => navigator.clipboard.readText())).trim()
  if (copied !== expected || copied === '') faults.add(`${at}: the button copies ${JSON.stringify(copied.slice(0, 60))}`)
}

async function dark() {
  await page.setViewportSize({ width: 1280, height: 900 })
  await open(names[0])
  await page.click('.VPNavBarAppearance button, .VPSwitchAppearance')
  const colours = await page.evaluate(() => ({
    dark: document.documentElement.classList.contains('dark'),
    ground: getComputedStyle(document.body).backgroundColor
  }))
  const brightness = colours.ground.match(/\d+/g).slice(0, 3).reduce((sum, n) => sum + Number(n), 0) / 3
  if (!colours.dark || brightness > 80) faults.add(`dark mode: the ground is ${colours.ground}`)
}

async function screenshots(suffix, width) {
  await page.setViewportSize({ width, height: 1000 })
  for (const name of SHOWN.filter((shown) => names.includes(shown))) {
    await open(name)
    const file = name.replace(/\//g, '-').replace('.html', '') + suffix + '.png'
    await page.screenshot({ path: path.join(shots, file), fullPage: name !== 'reference/errors.html' })
  }
}

fs.rmSync(shots, { recursive: true, force: true })
fs.mkdirSync(shots, { recursive: true })
await everyPage()
const count = everyLink()
await search()
await copy()
await screenshots('', 1280)
await screenshots('-narrow', NARROW)
await dark()
await screenshots('-dark', 1280)
await browser.close()
server.close()
for (const fault of faults) console.error(fault)
console.log(`${names.length} pages, ${count} links: ${faults.size === 0 ? 'all well' : faults.size + ' faults'}`)
process.exit(faults.size === 0 ? 0 : 1)
