import { admissionPrinters } from './admission.js';
import { machineryPrinters } from './api-machinery.js';
import { corePrinters } from './core.js';
import { devicePrinters } from './devices.js';
import { networkingPrinters } from './networking.js';
import { otherPrinters } from './other.js';
import { printer, type TablePrinter } from './printer.js';
import { text } from './read.js';
import { storagePrinters } from './storage.js';
import { workloadPrinters } from './workloads.js';

/** The printers of built-in resources with specific columns, by plural and group: `pods`, `deployments.apps`. */
export const printers: Readonly<Record<string, TablePrinter>> = {
  ...corePrinters,
  ...workloadPrinters,
  ...storagePrinters,
  ...networkingPrinters,
  ...devicePrinters,
  ...otherPrinters,
  ...admissionPrinters,
  ...machineryPrinters,
};

const plainPrinter = printer('Name, Created At:date', (object) => [
  text(object, 'metadata.name'),
  text(object, 'metadata.creationTimestamp', '<unknown>'),
]);

/**
 * The printer of a built-in resource, which is named by its plural and its group: `pods`, `deployments.apps`. Resources without specific
 * columns have a name and a creation time. The columns are those of the tables that the API server sends to kubectl: Kubernetes
 * documentation, "API Concepts: Receiving resources as Tables".
 */
export function printerOf(resource: string): TablePrinter {
  return (Object.hasOwn(printers, resource) ? printers[resource] : undefined) ?? plainPrinter;
}
