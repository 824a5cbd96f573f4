// How VitePress makes the pages of the documentation. It refuses a link to a page that does not exist.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'

const pages = process.env.TANDEM_SITE_PAGES

function page(link) {
  const file = join(pages, `${link}.md`)
  const title = readFileSync(file, 'utf8').match(/^# (.+)$/m)
  return { text: title ? title[1].replace(/`/g, '') : link, link: `/${link}` }
}

// The names that GitHub gives to headings, so that one link is right in both places.
function slugify(heading) {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-')
}

function group(text, ...links) {
  return { text, items: links.map(page) }
}

const inSidebar = {
  'To use it': ['quickstart', 'embedded', 'spring-boot', 'testing', 'client', 'outbox', 'protocol', 'configuration', 'rabbitmq', 'operations', 'troubleshooting', 'runbooks', 'comparison'],
  'To understand it': ['guarantees', 'architecture', 'glossary', 'state-machine', 'store-protocol', 'redis-keys'],
  'Guides': ['guides/ten-minutes', 'guides/spring-kafka', 'guides/job-queues', 'guides/jobrunr'],
  'To judge it': ['verification', 'benchmarks']
}
const named = Object.values(inSidebar).flat()
const others = readdirSync(join(pages, 'docs'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -3))
  .filter((name) => !named.includes(name))
const decisions = readdirSync(join(pages, 'docs/adr')).filter((file) => /^\d/.test(file)).sort()

export default defineConfig({
  title: 'Tandem',
  description: 'Tasks from Kafka and RabbitMQ, with delays, retries and strict order per key',
  srcDir: pages,
  outDir: process.env.TANDEM_SITE_OUT,
  base: process.env.TANDEM_SITE_BASE || '/',
  // Copies of files that are no pages: check.mjs looks for them.
  ignoreDeadLinks: [/^\/files\//],
  markdown: { html: false, anchor: { slugify } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      ...Object.entries(inSidebar).map(([text, names]) => group(text, ...names.map((name) => `docs/${name}`))),
      group('Examples', 'examples/index', 'examples/order-service/index'),
      group('To work on it', 'CONTRIBUTING', ...others.map((name) => `docs/${name}`), 'CHANGELOG', 'SECURITY'),
      { ...group('Decisions', 'docs/adr/index', ...decisions.map((file) => `docs/adr/${file.slice(0, -3)}`)), collapsed: true }
    ]
  }
})
