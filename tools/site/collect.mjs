// Collects the Markdown of the project for VitePress, in the same folders, so that its links stay true.
// usage: node collect.mjs ROOT PAGES
// READMEs become the first pages of their folders. A link to any other file of the project leads to a copy of it.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

const [root, pages] = process.argv.slice(2)
const LINK = /(\]\(|^\[[^\]]+\]: )([^()\s]+)/gm
const AT_THE_TOP = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']
const EXAMPLES = ['examples/README.md', 'examples/order-service/README.md']

function markdownBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? markdownBelow(path) : path.endsWith('.md') ? [path] : []
  })
}

function pageOf(path) {
  return path.replace(/README\.md$/, 'index.md')
}

function collect(path) {
  const text = readFileSync(join(root, path), 'utf8').replace(LINK, (link, before, target) => {
    if (/^([a-z]+:|#)/.test(target)) return link
    const [file, anchor] = target.split('#')
    const linked = normalize(join(dirname(path), file))
    if (!existsSync(join(root, linked))) throw new Error(`${path} has a link to ${target}, which does not exist`)
    const suffix = anchor === undefined ? '' : `#${anchor}`
    if (sources.includes(linked)) return before + relativeTo(path, pageOf(linked)) + suffix
    return before + publish(linked)
  })
  const copy = join(pages, pageOf(path))
  mkdirSync(dirname(copy), { recursive: true })
  writeFileSync(copy, text)
}

function relativeTo(from, to) {
  const path = relative(dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}

// A folder has no page, so its link leads to the start. Other files are shown as text: to the name of one that it does
// not know, VitePress would add .html.
function publish(linked) {
  if (statSync(join(root, linked)).isDirectory()) return '/'
  const name = /\.(svg|png|json|yml)$/.test(linked) ? linked : `${linked}.txt`
  const copy = join(pages, 'public/files', name)
  mkdirSync(dirname(copy), { recursive: true })
  cpSync(join(root, linked), copy)
  return `/files/${name}`
}

const sources = [...AT_THE_TOP, ...EXAMPLES, ...markdownBelow('docs')]
rmSync(pages, { recursive: true, force: true })
sources.forEach(collect)
