import type { Container, EnvVar, ResourceFieldSelector } from '@nodeagent/api';
import type { FieldProblems } from '../field-problem.js';
import { checkQualifiedName, checkRelativePath } from './names.js';
import { checkAmount } from './resources.js';

const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;
const envPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/** The fields that a file of a downwardAPI volume may contain, in addition to resources. */
const filePaths = ['metadata.name', 'metadata.namespace', 'metadata.uid', 'metadata.labels', 'metadata.annotations'];
const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/;

/** Environment variables. Source: Kubernetes documentation, "Define Environment Variables for a Container", and the EnvVar reference. */
export function checkEnv(field: string, container: Container, volumes: ReadonlySet<string>, problems: FieldProblems): void {
  for (const [index, variable] of (container.env ?? []).entries()) checkVariable(`${field}.env[${index}]`, variable, volumes, problems);
  for (const [index, { prefix, configMapRef, secretRef }] of (container.envFrom ?? []).entries()) {
    const place = `${field}.envFrom[${index}]`;
    if (prefix) checkName(`${place}.prefix`, prefix, problems);
    if (configMapRef === undefined && secretRef === undefined) {
      problems.add(place, 'Invalid value: "": must specify one of: `configMapRef` or `secretRef`');
    } else if (configMapRef && secretRef) {
      problems.add(place, 'Invalid value: "": may not have more than one field specified at a time');
    }
    for (const [kind, reference] of Object.entries({ configMapRef, secretRef })) {
      if (reference && !reference.name) problems.required(`${place}.${kind}.name`);
    }
  }
}

function checkVariable(field: string, { name, value, valueFrom }: EnvVar, volumes: ReadonlySet<string>, problems: FieldProblems): void {
  if (name) checkName(`${field}.name`, name, problems);
  else problems.required(`${field}.name`);
  if (valueFrom === undefined) return;
  const given = sources.filter((source) => valueFrom[source] !== undefined);
  const place = `${field}.valueFrom`;
  if (given.length === 0)
    problems.add(place, `Invalid value: "": must specify one of: ${sources.map((source) => `\`${source}\``).join(', ')}`);
  else if (value) problems.add(place, 'Invalid value: "": may not be specified when `value` is not empty');
  else if (given.length > 1) problems.add(place, 'Invalid value: "": may not have more than one field specified at a time');
  if (valueFrom.fieldRef) checkFieldPath(`${place}.fieldRef`, valueFrom.fieldRef, envPaths, problems);
  if (valueFrom.resourceFieldRef) checkResourceField(`${place}.resourceFieldRef`, valueFrom.resourceFieldRef, false, problems);
  for (const kind of ['configMapKeyRef', 'secretKeyRef'] as const) {
    const reference = valueFrom[kind];
    if (reference && !reference.name) problems.required(`${place}.${kind}.name`);
    if (reference && !reference.key) problems.required(`${place}.${kind}.key`);
  }
  const file = valueFrom.fileKeyRef;
  if (file === undefined) return;
  if (!file.volumeName) problems.required(`${place}.fileKeyRef.volumeName`);
  else if (!volumes.has(file.volumeName)) problems.notFound(`${place}.fileKeyRef.volumeName`, file.volumeName);
  if (file.path) checkRelativePath(`${place}.fileKeyRef.path`, file.path, problems);
  else problems.required(`${place}.fileKeyRef.path`);
  if (!file.key) problems.required(`${place}.fileKeyRef.key`);
}

/** Any printable ASCII character but `=`. */
function checkName(field: string, name: string, problems: FieldProblems): void {
  if (!/^[\x20-<>-~]+$/.test(name)) problems.invalid(field, name, "must have only printable ASCII characters other than '='");
}

/** A variable or file from a field of the pod. */
function checkFieldPath(
  field: string,
  { apiVersion, fieldPath }: { apiVersion?: string; fieldPath: string },
  allowed: readonly string[],
  problems: FieldProblems,
): void {
  if (!fieldPath) {
    problems.required(`${field}.fieldPath`);
    return;
  }
  if (apiVersion !== 'v1') problems.invalid(`${field}.apiVersion`, apiVersion, 'must be "v1"');
  const [, , key] = subscript.exec(fieldPath) ?? [];
  if (key !== undefined) checkQualifiedName(`${field}.fieldPath`, key.toLowerCase(), problems);
  else problems.oneOf(`${field}.fieldPath`, fieldPath, allowed);
}

export function checkDownwardFieldPath(field: string, selector: { apiVersion?: string; fieldPath: string }, problems: FieldProblems): void {
  checkFieldPath(field, selector, filePaths, problems);
}

/** A variable or file from a container's requests and limits. */
export function checkResourceField(field: string, selector: ResourceFieldSelector, needsContainer: boolean, problems: FieldProblems): void {
  if (needsContainer && !selector.containerName) problems.required(`${field}.containerName`);
  if (!selector.resource) problems.required(`${field}.resource`);
  else if (!/^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/.test(selector.resource)) {
    const known = ['limits', 'requests'].flatMap((kind) => ['cpu', 'memory', 'ephemeral-storage'].map((name) => `${kind}.${name}`));
    problems.oneOf(`${field}.resource`, selector.resource, known);
  }
  checkAmount(`${field}.divisor`, selector.divisor, problems);
}
