/**
 * The Tables that an API server sends to kubectl: rows of built-in resources, and of custom ones by their `additionalPrinterColumns`.
 *
 * @packageDocumentation
 */
export { printer, type TableCell, type TableColumn, type TablePrinter, type TableRowCondition } from './printers/printer.js';
export type { AdditionalPrinterColumn } from './tables/custom-printer.js';
export { onlyMetadata, type Table, type TableOptions, type TableRow, tableOf } from './tables/table.js';
