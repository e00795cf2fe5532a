import { isObject } from '@nodeagent/api/helpers';
import type { ApiObject } from '../objects.js';
import type { KindFieldProblem, KindRules } from './kind-rules.js';
import { fillIn } from './workloads.js';

const specOf = <T>(object: ApiObject): Partial<T> => (isObject(object.spec) ? (object.spec as Partial<T>) : {});

const between = (field: string, value: unknown, min: number, max: number): KindFieldProblem[] =>
  typeof value === 'number' && value >= min && value <= max
    ? []
    : [{ field, problem: `Invalid value: ${value ?? 0}: must be between ${min} and ${max}, inclusive` }];

const requiredText = (field: string, value: unknown): KindFieldProblem[] => (value ? [] : [{ field, problem: 'Required value' }]);

interface FlowSchemaSpec {
  priorityLevelConfiguration: { name?: string };
  matchingPrecedence: number;
}

const prepareFlowSchema = (object: ApiObject) => fillIn(object, { spec: { matchingPrecedence: 1000 } });

/** Kubernetes documentation, "API Priority and Fairness: FlowSchema". This server does not queue requests. */
export const flowSchemaRules: KindRules = {
  prepareCreate: prepareFlowSchema,
  prepareUpdate: prepareFlowSchema,
  validate(object) {
    const { priorityLevelConfiguration, matchingPrecedence } = specOf<FlowSchemaSpec>(object);
    return [
      ...between('spec.matchingPrecedence', matchingPrecedence, 1, 10_000),
      ...requiredText('spec.priorityLevelConfiguration.name', priorityLevelConfiguration?.name),
    ];
  },
};

interface PriorityLevelSpec {
  type: string;
  limited: { limitResponse?: { type?: string; queuing?: Record<string, unknown> } };
}

function preparePriorityLevel(object: ApiObject): void {
  const { type, limited } = specOf<PriorityLevelSpec>(object);
  if (type === 'Exempt') fillIn(object, { spec: { exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } } });
  if (type !== 'Limited' || limited === undefined) return;
  fillIn(limited, { nominalConcurrencyShares: 30, lendablePercent: 0 });
  if (limited.limitResponse?.type === 'Queue')
    fillIn(limited.limitResponse, { queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } });
}

/** Kubernetes documentation, "API Priority and Fairness: PriorityLevelConfiguration". */
export const priorityLevelRules: KindRules = {
  prepareCreate: preparePriorityLevel,
  prepareUpdate: preparePriorityLevel,
  validate(object) {
    const { type, limited } = specOf<PriorityLevelSpec>(object);
    if (type !== 'Limited' && type !== 'Exempt') {
      return [{ field: 'spec.type', problem: `Unsupported value: ${JSON.stringify(type ?? '')}: supported values: "Exempt", "Limited"` }];
    }
    if (type === 'Limited' && !limited) {
      return [{ field: 'spec.limited', problem: 'Required value: must not be empty when type is Limited' }];
    }
    return [];
  },
};

interface ApiServiceSpec {
  group: string;
  version: string;
  groupPriorityMinimum: number;
  versionPriority: number;
  service: { namespace?: string; name?: string } | null;
  insecureSkipTLSVerify: boolean;
  caBundle: string;
}

function prepareApiService(object: ApiObject): void {
  const { service } = specOf<ApiServiceSpec>(object);
  if (service) fillIn(service, { port: 443 });
}

/** Kubernetes documentation, "Kubernetes API Aggregation Layer". */
export const apiServiceRules: KindRules = {
  prepareCreate: prepareApiService,
  prepareUpdate: prepareApiService,
  validate(object) {
    const spec = specOf<ApiServiceSpec>(object);
    const { group = '', version = '', groupPriorityMinimum, versionPriority, service, insecureSkipTLSVerify, caBundle } = spec;
    const wanted = `${version}.${group}`;
    const name = object.metadata.name ?? '';
    return [
      ...(name === wanted
        ? []
        : [{ field: 'metadata.name', problem: `Invalid value: "${name}": must be \`spec.version+"."+spec.group\`: "${wanted}"` }]),
      ...requiredText('spec.version', version),
      ...between('spec.groupPriorityMinimum', groupPriorityMinimum, 1, 20_000),
      ...between('spec.versionPriority', versionPriority, 1, 1000),
      ...(service ? requiredText('spec.service.namespace', service.namespace) : []),
      ...(service ? requiredText('spec.service.name', service.name) : []),
      ...(caBundle && insecureSkipTLSVerify
        ? [{ field: 'spec.insecureSkipTLSVerify', problem: 'Invalid value: true: may not be true if caBundle is present' }]
        : []),
    ];
  },
};
