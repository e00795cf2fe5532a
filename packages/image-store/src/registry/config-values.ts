import { invalidConfig } from './endpoint.js';

/** A text of a configuration; '' if it is missing. */
export function textOf(value: unknown, field: string): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') throw invalidConfig(field, 'must be a text');
  return value;
}

/** A flag of a configuration; false if it is missing. */
export function flagOf(value: unknown, field: string): boolean {
  if (value === undefined) return false;
  if (typeof value !== 'boolean') throw invalidConfig(field, 'must be true or false');
  return value;
}
