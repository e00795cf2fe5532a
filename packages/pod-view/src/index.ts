/**
 * What `kubectl get -o wide` shows, as pure functions of an object and a time. It runs in Node and in a browser.
 *
 * @packageDocumentation
 */
export { formatAge } from './format-age.js';
export type { JsonObject } from './json-object.js';
export { type PodColumns, podColumns, podStatusText } from './pod-columns.js';
export type { TableCell, TableColumn, TablePrinter, TableRowCondition } from './printers/printer.js';
export { printerOf } from './printers/printers.js';
export { type Amount, formatBytes, formatCpu, formatResource } from './resources/format-resources.js';
export { type EffectiveResources, type PodResize, type PodResources, podResources } from './resources/pod-resources.js';
export type { AdditionalPrinterColumn } from './tables/custom-printer.js';
export { onlyMetadata, type Table, type TableOptions, type TableRow, tableOf } from './tables/table.js';
