// Checks the links within the made pages: the page, the heading or the file that each leads to must be there.
// usage: node check.mjs OUT BASE
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const [out, base] = process.argv.slice(2)

function pagesBelow(folder) {
  return readdirSync(join(out, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? pagesBelow(path) : path.endsWith('.html') ? [path] : []
  })
}

function all(pattern, text) {
  return [...text.matchAll(pattern)].map((found) => decodeURIComponent(found[1].replaceAll('&amp;', '&')))
}

function fileOf(page, path) {
  if (path === '') return page
  if (path.startsWith('/') && !path.startsWith(base)) return undefined
  const file = path.startsWith('/') ? path.slice(base.length) : normalize(join(dirname(page), path))
  return file === '' || file === '.' || file.endsWith('/') ? join(file, 'index.html') : file
}

const texts = new Map(pagesBelow('').map((page) => [page, readFileSync(join(out, page), 'utf8')]))
const headings = new Map([...texts].map(([page, text]) => [page, new Set(all(/\sid="([^"]+)"/g, text))]))

function isBroken(page, link) {
  const [path, heading] = link.split('#')
  const file = fileOf(page, path)
  if (file === undefined || !existsSync(join(out, file))) return true
  return Boolean(heading) && headings.has(file) && !headings.get(file).has(heading)
}

const broken = new Set()
for (const [page, text] of texts) {
  for (const link of all(/\s(?:href|src)="([^"]+)"/g, text)) {
    if (!/^([a-z]+:|\/\/)/.test(link) && isBroken(page, link)) broken.add(`${page} has a link to ${link}`)
  }
}
if (broken.size > 0) {
  console.error(`Broken links:\n${[...broken].join('\n')}`)
  process.exit(1)
}
