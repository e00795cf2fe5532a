/**
 * The `nodeagent` command, as a library for other programs: the command line and the rendering of its tables.
 * @packageDocumentation
 */
export { formatAge, podStatusText } from '@nodeagent/pod-view';
export { type Console, systemConsole } from './console.js';
export { exitProcess } from './exit-process.js';
export { main } from './main.js';
export { type PodRow, podRow } from './terminal/pod-row.js';
export { renderTable } from './terminal/table.js';
