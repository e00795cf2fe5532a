import type { JsonObject } from '../json-object.js';
import { printer, type TablePrinter } from './printer.js';
import { at, list, text } from './read.js';
import { age, name } from './workloads.js';

const condition = (object: JsonObject, type: string) => list(object, 'status.conditions').find((each) => each.type === type);

const flowSchema = printer('Name, PriorityLevel, MatchingPrecedence, DistinguisherMethod, Age, MissingPL', (schema, now) => [
  name(schema),
  text(schema, 'spec.priorityLevelConfiguration.name'),
  String(at(schema, 'spec.matchingPrecedence')),
  text(schema, 'spec.distinguisherMethod.type', '<none>'),
  age(schema, now),
  text(condition(schema, 'Dangling'), 'status', '?'),
]);

const apiService = printer('Name, Service, Available, Age', (service, now) => {
  const available = condition(service, 'Available');
  const status = text(available, 'status', 'Unknown');
  const { namespace = '', name: target = '' } = (at(service, 'spec.service') ?? {}) as JsonObject;
  return [
    name(service),
    target ? `${namespace}/${target}` : 'Local',
    status === 'False' ? `False (${text(available, 'reason')})` : status,
    age(service, now),
  ];
});

export const machineryPrinters: Readonly<Record<string, TablePrinter>> = {
  'apiservices.apiregistration.k8s.io': apiService,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchema,
};
