import { invalidOption, parseDuration } from '@nodeagent/api';
import type { KubeletConfiguration } from '@nodeagent/kubelet-config';
import type { AgentConfiguration } from './agent-configuration.js';

export type ConfigurationField = keyof KubeletConfiguration;

/** The options that one field sets. */
export interface FieldEffect extends Partial<AgentConfiguration> {
  /** What of the field is unsupported: the field's name, or the path of a part of it. */
  ignored?: readonly string[];
}

/** Reads the value of one field; throws `InvalidOption` naming the field. */
export type FieldReader<Name extends ConfigurationField> = (
  value: NonNullable<KubeletConfiguration[Name]>,
  configuration: KubeletConfiguration,
) => FieldEffect;

/** Readers of some of the fields. */
export type FieldReaders = { readonly [Name in ConfigurationField]?: FieldReader<Name> };

/** Parses a duration such as `1m30s` to milliseconds. */
export function milliseconds(field: string, duration: string): number {
  const ms = parseDuration(duration);
  if (ms === undefined) throw invalidOption(field, 'a duration such as 20s, 1m30s or 500ms', duration);
  return ms;
}

/** Parses a duration above 0 to milliseconds. */
export function positiveMilliseconds(field: string, duration: string): number {
  const ms = milliseconds(field, duration);
  if (ms <= 0) throw invalidOption(field, 'a duration such as 20s, 1m30s or 500ms', duration);
  return ms;
}

/** The effect of a text; none for an empty text, which means that the field is not set. */
export const unlessEmpty = (text: string, effect: (text: string) => FieldEffect): FieldEffect => (text === '' ? {} : effect(text));
