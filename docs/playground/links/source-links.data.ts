import { fileURLToPath } from 'node:url';
import { sourceLinks } from './source-lines.js';
import type { Topic } from './topics.js';

/** VitePress replaces this file by what `load` returns when it builds the site. */
export default { load: () => sourceLinks(fileURLToPath(new URL('../../..', import.meta.url))) };

declare const data: Readonly<Record<Topic, string>>;

export { data };
