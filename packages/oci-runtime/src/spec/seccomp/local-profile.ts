import { isObject } from '@nodeagent/api/helpers';
import { invalidSeccompProfile } from '../../errors.js';
import type { OciSeccomp, OciSyscallArgument, OciSyscallRule } from '../oci-spec.js';

const actions: readonly string[] = namesOf('SCMP_ACT_', 'KILL KILL_PROCESS KILL_THREAD TRAP ERRNO TRACE ALLOW LOG NOTIFY');
const operators: readonly string[] = namesOf('SCMP_CMP_', 'NE LT LE EQ GE GT MASKED_EQ');

function namesOf(prefix: string, names: string): string[] {
  return names.split(' ').map((name) => prefix + name);
}

/**
 * Parses a seccomp profile of the node: `linux.seccomp` of the OCI runtime specification as JSON. Throws `InvalidSeccompProfile`, whose
 * details name the field. A member that it does not know is an error: it may be one that other tools resolve, such as Docker's `includes`,
 * without which the profile would allow too much.
 */
export function parseSeccompProfile(text: string): OciSeccomp {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidSeccompProfile('content', 'is not JSON');
  }
  const profile = objectOf(value, 'content', 'defaultAction defaultErrnoRet architectures flags listenerPath listenerMetadata syscalls');
  const { defaultErrnoRet, listenerPath, listenerMetadata } = profile;
  return {
    defaultAction: oneOf(profile.defaultAction, actions, 'defaultAction'),
    ...(defaultErrnoRet !== undefined && { defaultErrnoRet: numberOf(defaultErrnoRet, 'defaultErrnoRet') }),
    ...(profile.architectures !== undefined && { architectures: textsOf(profile.architectures, 'architectures') }),
    ...(profile.flags !== undefined && { flags: textsOf(profile.flags, 'flags') }),
    ...(listenerPath !== undefined && { listenerPath: textOf(listenerPath, 'listenerPath') }),
    ...(listenerMetadata !== undefined && { listenerMetadata: textOf(listenerMetadata, 'listenerMetadata') }),
    syscalls: listOf(profile.syscalls ?? [], 'syscalls').map((rule, index) => ruleOf(rule, `syscalls[${index}]`)),
  };
}

function ruleOf(value: unknown, field: string): OciSyscallRule {
  const rule = objectOf(value, field, 'names action errnoRet args comment');
  const names = textsOf(rule.names, `${field}.names`);
  if (names.length === 0) throw invalidSeccompProfile(`${field}.names`, 'must not be empty');
  return {
    names,
    action: oneOf(rule.action, actions, `${field}.action`),
    ...(rule.errnoRet !== undefined && { errnoRet: numberOf(rule.errnoRet, `${field}.errnoRet`) }),
    args: listOf(rule.args ?? [], `${field}.args`).map((arg, index) => argumentOf(arg, `${field}.args[${index}]`)),
  };
}

function argumentOf(value: unknown, field: string): OciSyscallArgument {
  const { index, value: operand, valueTwo, op } = objectOf(value, field, 'index value valueTwo op');
  const number = numberOf(index, `${field}.index`);
  if (number > 5) throw invalidSeccompProfile(`${field}.index`, 'must be from 0 to 5');
  return {
    index: number,
    value: numberOf(operand, `${field}.value`),
    ...(valueTwo !== undefined && { valueTwo: numberOf(valueTwo, `${field}.valueTwo`) }),
    op: oneOf(op, operators, `${field}.op`),
  };
}

function objectOf(value: unknown, field: string, known: string): Record<string, unknown> {
  if (!isObject(value)) throw invalidSeccompProfile(field, 'must be an object');
  const names = known.split(' ');
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) throw invalidSeccompProfile(field, `has the member "${unknown}", which the OCI specification does not`);
  return value;
}

function listOf(value: unknown, field: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw invalidSeccompProfile(field, 'must be a list');
}

const textsOf = (value: unknown, field: string) => listOf(value, field).map((entry, index) => textOf(entry, `${field}[${index}]`));

function textOf(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw invalidSeccompProfile(field, 'must be a text');
}

function numberOf(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw invalidSeccompProfile(field, 'must be a whole number from 0');
}

function oneOf(value: unknown, among: readonly string[], field: string): string {
  const found = among.find((each) => each === value);
  if (found !== undefined) return found;
  throw invalidSeccompProfile(field, `must be one of ${among.join(', ')}`);
}
