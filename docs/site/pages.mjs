// Copies the pages of docs/, and those of the root that belong to the manual, to the folder that VitePress reads. Links
// to other files of the repository lead to copies of these, so that the site has no dead link wherever it is put.
//
//   node pages.mjs ROOT FOLDER
import fs from 'node:fs'
import path from 'node:path'

const [root, folder] = process.argv.slice(2)
const base = process.env.SITE_BASE ?? '/'
const ROOT_PAGES = ['CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']
const SAMPLES = 'src/test/java/samples'
const faults = []

function pagesBelow(place) {
  return fs.readdirSync(path.join(root, place), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(place, entry.name)
    if (entry.isDirectory()) return name === 'docs/site' ? [] : pagesBelow(name)
    return name.endsWith('.md') ? [name] : []
  })
}

/** Where a file of the repository stands on the site, if it is a page. */
function pageOf(file) {
  if (file === 'CONTRIBUTING.md') return 'contributing/index.md'
  if (ROOT_PAGES.includes(file)) return file.toLowerCase()
  if (file.startsWith(SAMPLES + '/') && file.endsWith('/README.md')) {
    return file.slice(SAMPLES.length - 'samples'.length).replace(/\/README\.md$/, '.md')
  }
  if (!file.startsWith('docs/') || !file.endsWith('.md')) return null
  return file.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md')
}

function copyOf(file) {
  const copy = path.posix.join('source', file + '.txt')
  const to = path.join(folder, 'public', copy)
  fs.mkdirSync(path.dirname(to), { recursive: true })
  fs.copyFileSync(path.join(root, file), to)
  return base + copy
}

function link(text, target, from) {
  const [place, anchor] = target.split('#')
  if (place === '' || /^[a-z]+:/.test(place)) return `${text}(${target})`
  const file = path.posix.normalize(path.posix.join(path.posix.dirname(from), place))
  if (file.startsWith('docs/images/')) {
    return `${text}(${path.posix.relative(path.posix.dirname(pageOf(from)), file.slice('docs/'.length)).replace(/^(?!\.)/, './')})`
  }
  const page = pageOf(file)
  if (page !== null) return `${text}(/${page}${anchor ? '#' + anchor : ''})`
  if (!fs.existsSync(path.join(root, file)) || !fs.statSync(path.join(root, file)).isFile()) {
    faults.push(`${from}: there is no file ${target}`)
    return `${text}(${target})`
  }
  return `${text}(${copyOf(file)}){target="_self"}`
}

/** Code is left as it is. */
function linksOf(text, from) {
  let fenced = false
  return text
    .split('\n')
    .map((line) => {
      if (/^\s*```/.test(line)) fenced = !fenced
      if (fenced) return line
      return line.replace(/(\])\(([^()\s]+)\)/g, (_, bracket, target) => link(bracket, target, from))
    })
    .join('\n')
}

fs.rmSync(folder, { recursive: true, force: true })
for (const file of [...pagesBelow('docs'), ...pagesBelow(SAMPLES), ...ROOT_PAGES]) {
  const to = path.join(folder, pageOf(file))
  fs.mkdirSync(path.dirname(to), { recursive: true })
  fs.writeFileSync(to, linksOf(fs.readFileSync(path.join(root, file), 'utf8'), file))
}
fs.cpSync(path.join(root, 'docs/images'), path.join(folder, 'images'), { recursive: true })
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exit(1)
}
