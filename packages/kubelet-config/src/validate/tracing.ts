import { quoteText } from '@nodeagent/api/helpers';
import type { KubeletConfiguration } from '../fields.js';
import type { ConfigurationProblems } from './problems.js';
import { parseUrlScheme } from './url.js';

const schemes = ['dns', 'unix', 'unix-abstract'];
const schemesHelp = 'Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md';

/** Validates the endpoint and sampling rate of tracing; an endpoint without scheme is a host. */
export function validateTracing({ tracing }: KubeletConfiguration, problems: ConfigurationProblems): void {
  const { samplingRatePerMillion: rate = 0, endpoint } = tracing ?? {};
  const invalidRate = `tracing.samplingRatePerMillion: Invalid value: ${rate}:`;
  if (rate < 0) problems.add(`${invalidRate} sampling rate must be positive`);
  if (rate > 1_000_000) problems.add(`${invalidRate} sampling rate per million must be less than or equal to one million`);
  if (endpoint === undefined) return;
  const url = endpoint.includes('://') ? endpoint : `dns://${endpoint}`;
  const { scheme = '', problem } = parseUrlScheme(url);
  const invalid = `tracing.endpoint: Invalid value: ${quoteText(url)}:`;
  if (problem !== undefined) problems.add(`${invalid} parse ${quoteText(problem.url)}: ${problem.rule}`);
  else if (!schemes.includes(scheme)) problems.add(`${invalid} unsupported scheme: ${scheme}.  ${schemesHelp}`);
}
