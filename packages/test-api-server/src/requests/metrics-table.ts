import { isObject, Quantity } from '@nodeagent/api/helpers';
import { printer } from '@nodeagent/pod-view/tables';

/** The columns of a metrics server; a pod uses what its containers do. */
export const metricsPrinter = printer('Name, cpu, memory, Window', (object) => {
  const containers = Array.isArray(object.containers) ? object.containers.filter(isObject) : [];
  const usages = [object, ...containers].map(({ usage }) => (isObject(usage) ? usage : {}));
  const sum = (resource: string) =>
    usages.reduce((total, usage) => total.add(Quantity.parse(String(usage[resource] ?? '0'))), Quantity.zero).canonical();
  const { name } = isObject(object.metadata) ? object.metadata : {};
  return [String(name), sum('cpu'), sum('memory'), String(object.window)];
});
