// build-docs.mjs: builds the documentation site into docs/.vitepress/dist: generates the reference, builds the pages, checks links.
// It exists because the steps of the site use tools of the workspace docs/, which the root does not have.
import { join } from 'node:path';
import { root, run } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';

const script = (name) => run(process.execPath, [join(root, 'scripts', name)]);

setup();
script('write-reference.mjs');
script('write-api-reference.mjs');
run(join(root, 'docs', 'node_modules', '.bin', 'vitepress'), ['build', 'docs']);
script('check-site.mjs');
