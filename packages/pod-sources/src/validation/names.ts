import { isIP } from '@nodeagent/api/helpers';
import type { FieldProblems } from '../field-problem.js';

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const qualified = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** RFC 1123 label: containers, volumes, namespaces. Source: Kubernetes documentation, "Object Names and IDs". */
export function checkLabel(field: string, value: string, problems: FieldProblems): void {
  if (value.length > 63) problems.invalid(field, value, 'must be no more than 63 characters');
  else if (!label.test(value)) {
    problems.invalid(
      field,
      value,
      "a lowercase RFC 1123 label has only letters a-z, digits and '-', and starts and ends with a letter or digit",
    );
  }
}

/** RFC 1123 subdomain: pods, nodes, classes. */
export function checkSubdomain(field: string, value: string, problems: FieldProblems): void {
  if (value.length > 253) problems.invalid(field, value, 'must be no more than 253 characters');
  else if (!subdomain.test(value)) {
    problems.invalid(
      field,
      value,
      "a lowercase RFC 1123 subdomain has only letters a-z, digits, '-' and '.', and starts and ends with a letter or digit",
    );
  }
}

/** A required {@link checkLabel}. */
export function checkRequiredLabel(field: string, value: string | undefined, problems: FieldProblems): void {
  if (value) checkLabel(field, value, problems);
  else problems.required(field);
}

/** `name` or `example.com/name`: keys of labels, annotations, taints, conditions and extended resources. */
export function checkQualifiedName(field: string, value: string, problems: FieldProblems): void {
  const slash = value.indexOf('/');
  const [prefix, name] = slash < 0 ? [undefined, value] : [value.slice(0, slash), value.slice(slash + 1)];
  if (prefix !== undefined && (prefix.length > 253 || !subdomain.test(prefix))) {
    problems.invalid(field, value, 'what stands before the "/" must be a lowercase DNS name');
  } else if (name.length > 63 || !qualified.test(name)) {
    problems.invalid(
      field,
      value,
      "a name has at most 63 letters, digits, '-', '_' and '.', and starts and ends with a letter or digit; a DNS name and '/' may come first",
    );
  }
}

/** The value of a label; may be empty. */
function checkLabelValue(field: string, value: string, problems: FieldProblems): void {
  if (value === '' || (value.length <= 63 && qualified.test(value))) return;
  problems.invalid(
    field,
    value,
    "a label's value has at most 63 letters, digits, '-', '_' and '.', and starts and ends with a letter or digit",
  );
}

/** Keys and values of labels and of node selectors. */
export function checkLabels(field: string, labels: Readonly<Record<string, string>> | undefined, problems: FieldProblems): void {
  for (const [key, value] of Object.entries(labels ?? {})) {
    checkQualifiedName(field, key, problems);
    checkLabelValue(`${field}[${key}]`, value, problems);
  }
}

/** RFC 6335 service name: names of ports. */
export function checkPortName(field: string, value: string, problems: FieldProblems): void {
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value) && value.length <= 15 && /[a-z]/.test(value) && !value.includes('--')) return;
  problems.invalid(
    field,
    value,
    "a port's name has at most 15 letters a-z, digits and '-', at least one letter, no '--', and starts and ends with a letter or digit",
  );
}

export function checkPortNumber(field: string, value: number, problems: FieldProblems): void {
  if (!Number.isInteger(value) || value < 1 || value > 65_535) problems.invalid(field, value, 'must be between 1 and 65535, inclusive');
}

export function checkIp(field: string, value: string | undefined, problems: FieldProblems): void {
  if (!value || isIP(value) === 0) problems.invalid(field, value ?? '', 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
}

export function checkAtLeast(field: string, value: number | undefined, least: number, problems: FieldProblems): void {
  if (value !== undefined && value < least) problems.invalid(field, value, `must be greater than or equal to ${least}`);
}

/** Users and groups. */
export function checkId(field: string, value: number | undefined, problems: FieldProblems): void {
  if (value !== undefined && (value < 0 || value > 2_147_483_647))
    problems.invalid(field, value, 'must be between 0 and 2147483647, inclusive');
}

/** A path below a volume: relative, and never upwards. */
export function checkRelativePath(field: string, path: string, problems: FieldProblems): void {
  if (path.startsWith('/')) problems.invalid(field, path, 'must be a relative path');
  checkNoBacksteps(field, path, problems);
}

export function checkNoBacksteps(field: string, path: string, problems: FieldProblems): void {
  if (path.split('/').includes('..')) problems.invalid(field, path, "must not contain '..'");
}
