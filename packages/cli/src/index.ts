/**
 * The `nodeagent` command. As a library it gives the command line to other programs and its parts to other terminals.
 *
 * @packageDocumentation
 */
export { type Console, systemConsole } from './console.js';
export { main } from './main.js';
export { formatAge } from './terminal/age.js';
export { type PodRow, podRow, podStatusText } from './terminal/pod-row.js';
export { renderTable } from './terminal/table.js';
