import { errorMessage, invalidOptionText } from '@nodeagent/api';
import { parseGoBool, quoteText } from '@nodeagent/api/helpers';
import { parseGoInt } from './go-integer.js';

/** The options of a policy: `topologyManagerPolicyOptions` of KubeletConfiguration. Stable in v1.36. */
export interface TopologyManagerPolicyOptions {
  /** Boolean; of NUMA nodes that fit equally well, choose those with the smallest distances. Default false. */
  'prefer-closest-numa-nodes'?: string;
  /** Integer of at least 8: the manager rejects machines with more NUMA nodes. Default 8. */
  'max-allowable-numa-nodes'?: string;
}

/** Parsed {@link TopologyManagerPolicyOptions}. */
export interface ParsedPolicyOptions {
  preferClosestNumaNodes: boolean;
  maxAllowableNumaNodes: number;
}

/** The kubelet's default and minimum of `max-allowable-numa-nodes`. */
export const defaultMaxAllowableNumaNodes = 8;

/** Parses policy options. Throws `InvalidOption` with the kubelet's text. */
export function parsePolicyOptions(options: Readonly<Record<string, string | undefined>> = {}): ParsedPolicyOptions {
  const parsed: ParsedPolicyOptions = { preferClosestNumaNodes: false, maxAllowableNumaNodes: defaultMaxAllowableNumaNodes };
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (name === 'prefer-closest-numa-nodes') {
      parsed.preferClosestNumaNodes = parseValue(name, 'bad value for option', () => parseGoBool(value));
    } else if (name === 'max-allowable-numa-nodes') {
      parsed.maxAllowableNumaNodes = parseValue(name, 'unable to convert policy option to integer', () => parseGoInt(value));
      if (parsed.maxAllowableNumaNodes < defaultMaxAllowableNumaNodes) {
        const message = `the minimum value of ${quoteText(name)} should not be less than ${defaultMaxAllowableNumaNodes}`;
        throw invalidOptionText(`policyOptions.${name}`, message);
      }
    } else {
      throw invalidOptionText(`policyOptions.${name}`, `unknown Topology Manager Policy option: ${quoteText(name)}`);
    }
  }
  return parsed;
}

function parseValue<T>(name: string, problem: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw invalidOptionText(`policyOptions.${name}`, `${problem} ${quoteText(name)}: ${errorMessage(cause)}`, { cause });
  }
}
