import type { FieldTable } from './fields.js';
import { readFields } from './read-fields.js';

/** VitePress replaces this file by what `load` returns when it builds the site. */
export default { load: readFields };

declare const data: FieldTable;

export { data };
