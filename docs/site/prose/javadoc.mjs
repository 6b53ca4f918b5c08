// The Javadoc of public classes in exported packages as text that cspell and textlint can read: javadoc.mjs ROOT FOLDER
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [root, out] = process.argv.slice(2)
const exported = (module) =>
  [...readFileSync(join(root, 'src/main', module, 'module-info.java'), 'utf8').matchAll(/^\s*exports ([\w.]+);/gm)].map(
    (found) => found[1],
  )

/** Without tags and code; each paragraph and each tag is one of its own. */
const text = (comment) =>
  comment
    .replace(/^\s*\* ?/gm, '')
    .replace(/<pre>[\s\S]*?<\/pre>/g, '\n\n')
    .replace(/\{@(?:link|linkplain)\s+[^\s}]+\s+([^}]+)\}/g, '$1')
    .replace(/\{@\w+[^}]*\}/g, '`code`')
    .replace(/<(?:p|li|ul|ol|tr|td|th|table|h\d)\b[^>]*>/g, '\n\n')
    .replace(/<\/?[a-z][^>]*>/g, '')
    .replace(/^@(?:param\s+\S+|throws\s+\S+|see\s.*|since\s.*|return)/gm, '\n\n')

mkdirSync(out, { recursive: true })
for (const name of [...exported('module'), ...exported('module-testing')]) {
  const folder = join(root, 'src/main/java', ...name.split('.'))
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.java'))) {
    const source = readFileSync(join(folder, file), 'utf8')
    if (!/^public /m.test(source) && file !== 'package-info.java') continue
    const comments = [...source.matchAll(/\/\*\*([\s\S]*?)\*\//g)]
    writeFileSync(join(out, `${name}.${file}.md`), comments.map((found) => text(found[1])).join('\n\n'))
  }
}
