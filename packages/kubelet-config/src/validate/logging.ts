import { Quantity, quoteText } from '@nodeagent/api/helpers';
import { isGateEnabled } from '../feature-gates.js';
import type { KubeletConfiguration } from '../fields.js';
import { type ConfigurationProblems, nanosOf } from './problems.js';

type Logging = NonNullable<KubeletConfiguration['logging']>;

const maxVerbosity = 2 ** 31 - 1;

/** Log format and output; `formats` are those that the program supports. */
export function validateLogging(
  { logging = {}, featureGates }: KubeletConfiguration,
  formats: readonly string[],
  problems: ConfigurationProblems,
): void {
  const { format = 'text', flushFrequency = '5s', verbosity = 0 } = logging;
  const frequency = typeof flushFrequency === 'number' ? flushFrequency : quoteText(flushFrequency);
  if (nanosOf(flushFrequency) <= 0n) problems.add(`logging.flushFrequency: Invalid value: ${frequency}: Must be greater than zero`);
  if (!formats.includes(format)) problems.add(`logging.format: Invalid value: ${quoteText(format)}: Unsupported log format`);
  else if (format !== 'text' && !isGateEnabled(featureGates, 'LoggingBetaOptions'))
    problems.add(`logging.format: Forbidden: Log format ${format} is disabled, see LoggingBetaOptions feature`);
  checkVerbosity('logging.verbosity', verbosity, problems);
  validateModules(logging, problems);
  for (const name of ['text', 'json'] as const) validateOutput(name, logging.options?.[name] ?? {}, featureGates, problems);
}

function checkVerbosity(field: string, verbosity: number, problems: ConfigurationProblems): void {
  if (verbosity > maxVerbosity) problems.add(`${field}: Invalid value: ${verbosity}: Must be <= ${maxVerbosity}`);
}

function validateModules({ format = 'text', vmodule = [] }: Logging, problems: ConfigurationProblems): void {
  if (vmodule.length > 0 && format !== 'text') problems.add('logging.vmodule: Forbidden: Only supported for text log format');
  for (const [index, { filePattern = '', verbosity = 0 }] of vmodule.entries()) {
    const field = `logging.vmodule[${index}]`;
    if (filePattern === '') problems.add(`${field}: Required value: File pattern must not be empty`);
    if (/[=,]/.test(filePattern))
      problems.add(`${field}: Invalid value: ${quoteText(filePattern)}: File pattern must not contain equal sign or comma`);
    checkVerbosity(field, verbosity, problems);
  }
}

type Output = NonNullable<NonNullable<Logging['options']>['text']>;

function validateOutput(
  name: string,
  output: Output,
  featureGates: KubeletConfiguration['featureGates'],
  problems: ConfigurationProblems,
): void {
  const { infoBufferSize = '0' } = output;
  if (Quantity.parse(infoBufferSize).cmp(Quantity.parse('0')) !== 0 && !isGateEnabled(featureGates, 'LoggingAlphaOptions'))
    problems.add(`logging.options.${name}.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled`);
}
