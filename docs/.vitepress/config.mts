import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { repositoryUrl, webAddressOf } from '../../scripts/lib/repository.mjs';
import { sourceAliases } from '../../vitest.config.ts';
import { breakLongNames } from './code-breaks.mts';
import { drawFlowcharts } from './flowchart.mts';
import { githubSlug } from './github-slug.mts';
import { showQuotedFile } from './quoted-file.mts';
import { repositoryLinks } from './repository-links.mts';
import { renderForSearch } from './search-text.mts';
import { sidebar } from './sidebar.mts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

export default defineConfig({
  title: 'nodeagent',
  description,
  // The path under which the site is published, such as `/nodeagent/` on GitHub Pages.
  base: process.env.DOCS_BASE ?? '/',
  cleanUrls: true,
  srcExclude: ['**/node_modules/**'],
  rewrites: { 'decisions/README.md': 'decisions/index.md' },
  ignoreDeadLinks: false,
  vite: {
    cacheDir: join(root, '.cache', 'vitepress'),
    build: { chunkSizeWarningLimit: 2_000, target: 'es2022' },
    // The playground runs the sources of the packages.
    resolve: { alias: Object.entries(sourceAliases).map(([find, replacement]) => ({ find, replacement })) },
    worker: { format: 'es' },
  },
  cacheDir: join(root, '.cache', 'vitepress'),
  markdown: {
    anchor: { slugify: githubSlug },
    config: (markdown) => {
      repositoryLinks(markdown);
      showQuotedFile(markdown, webAddressOf);
      drawFlowcharts(markdown);
      breakLongNames(markdown);
    },
  },
  transformPageData({ relativePath, frontmatter }) {
    // Generated pages are not in the repository.
    if (/^packages\/|^reference\/(?!index\.md)/.test(relativePath)) frontmatter.editLink = false;
  },
  themeConfig: {
    // Local search: the index is part of the site.
    search: { provider: 'local', options: { _render: renderForSearch } },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Concepts', link: '/concepts/' },
      { text: 'Tutorials', link: '/tutorials/' },
      { text: 'How-to', link: '/running' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Playground', link: '/playground/' },
    ],
    sidebar: sidebar(join(root, 'docs')),
    socialLinks: [{ icon: 'github', link: repositoryUrl }],
    editLink: { pattern: `${repositoryUrl}/edit/main/docs/:path`, text: 'Edit this page' },
    footer: { message: 'Apache-2.0' },
  },
});
