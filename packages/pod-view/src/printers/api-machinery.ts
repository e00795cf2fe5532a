import type { JsonObject } from '../json-object.js';
import { printer, type TablePrinter } from './printer.js';
import { at, count, list, text } from './read.js';
import { age, name } from './workloads.js';

const condition = (object: JsonObject, type: string) => list(object, 'status.conditions').find((each) => each.type === type);

const flowSchema = printer('Name, PriorityLevel, MatchingPrecedence, DistinguisherMethod, Age, MissingPL', (schema, now) => [
  name(schema),
  text(schema, 'spec.priorityLevelConfiguration.name'),
  count(schema, 'spec.matchingPrecedence'),
  text(schema, 'spec.distinguisherMethod.type', '<none>'),
  age(schema, now),
  text(condition(schema, 'Dangling'), 'status', '?'),
]);

const apiService = printer('Name, Service, Available, Age', (service, now) => {
  const available = condition(service, 'Available');
  const status = text(available, 'status', 'Unknown');
  const reason = text(available, 'reason');
  const { namespace = '', name: target = '' } = (at(service, 'spec.service') ?? {}) as JsonObject;
  return [
    name(service),
    target ? `${namespace}/${target}` : 'Local',
    status === 'True' || reason === '' ? status : `${status} (${reason})`,
    age(service, now),
  ];
});

/** A number, or `<none>` where the level has no limit or no queues. */
const numberAt = (object: JsonObject, path: string): number | string => (at(object, path) === undefined ? '<none>' : count(object, path));

const queuing = 'spec.limited.limitResponse.queuing';
const priorityLevel = printer('Name, Type, NominalConcurrencyShares, Queues, HandSize, QueueLengthLimit, Age', (level, now) => [
  name(level),
  text(level, 'spec.type'),
  numberAt(level, 'spec.limited.nominalConcurrencyShares'),
  ...['queues', 'handSize', 'queueLengthLimit'].map((field) => numberAt(level, `${queuing}.${field}`)),
  age(level, now),
]);

export const machineryPrinters: Readonly<Record<string, TablePrinter>> = {
  'apiservices.apiregistration.k8s.io': apiService,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchema,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevel,
};
