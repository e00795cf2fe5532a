import type { KindFieldProblem } from '../../kinds/kind-rules.js';
import { baseline } from './baseline.js';
import type { CheckedPod } from './check.js';
import { restricted } from './restricted.js';

/** A level of the Pod Security Standards at a minor version; `latest` is undefined. */
export interface Level {
  name: 'privileged' | 'baseline' | 'restricted';
  minor?: number;
}

const modes = ['enforce', 'audit', 'warn'] as const;
export type Mode = (typeof modes)[number];

const prefix = 'pod-security.kubernetes.io/';
const levels = ['privileged', 'baseline', 'restricted'];
const version = /^v1\.(0|[1-9]\d*)$/;

type Labels = Readonly<Record<string, string>>;

/** The level of a mode that the labels of a namespace set; an invalid one is the strictest. */
export function levelOf(labels: Labels | undefined, mode: Mode): Level {
  const [name = 'privileged', at = 'latest'] = [labels?.[prefix + mode], labels?.[`${prefix}${mode}-version`]];
  const minor = version.exec(at)?.[1];
  return { name: (levels.includes(name) ? name : 'restricted') as Level['name'], ...(minor && { minor: Number(minor) }) };
}

/** As in messages: `restricted:latest`, `baseline:v1.28`. */
export const levelText = ({ name, minor }: Level): string => `${name}:${minor === undefined ? 'latest' : `v1.${minor}`}`;

/** Invalid labels of a namespace. */
export function levelProblems(labels: Labels = {}): KindFieldProblem[] {
  return modes.flatMap((mode) => {
    const problem = (key: string, rule: string) => {
      const field = `metadata.labels[${key}]`;
      return { field, problem: `Invalid value: ${JSON.stringify(labels[key])}: ${rule}` };
    };
    const [key, versionKey] = [prefix + mode, `${prefix}${mode}-version`];
    const [name, at] = [labels[key], labels[versionKey]];
    return [
      ...(name === undefined || levels.includes(name) ? [] : [problem(key, `must be one of ${levels.join(', ')}`)]),
      ...(at === undefined || at === 'latest' || version.test(at) ? [] : [problem(versionKey, 'must be "latest" or "v1.x"')]),
    ];
  });
}

/** Why a pod breaks a level, in one text: `privileged (container "a" must not ...), hostPort (...)`; undefined if it does not. */
export function violationsOf(pod: CheckedPod, { name, minor = Number.POSITIVE_INFINITY }: Level): string | undefined {
  if (name === 'privileged') return undefined;
  const checks = name === 'baseline' ? baseline : [...baseline, ...restricted];
  const holding = checks.filter(([since]) => since <= minor);
  const found = holding.flatMap(([, check]) => check(pod) ?? []);
  const narrower = withoutRepeats(found, name);
  return narrower.length === 0 ? undefined : narrower.map(({ reason, detail }) => (detail ? `${reason} (${detail})` : reason)).join(', ');
}

/** Rules of "Restricted" replace those of "Baseline" about the same fields. */
const replaced: Readonly<Record<string, string>> = {
  'non-default capabilities': 'unrestricted capabilities',
  'hostPath volumes': 'restricted volume types',
};

function withoutRepeats<T extends { reason: string }>(found: readonly T[], name: string): readonly T[] {
  if (name === 'baseline') return found;
  const lastSeccomp = found.map(({ reason }) => reason).lastIndexOf('seccompProfile');
  return found.filter(
    ({ reason }, index) =>
      !found.some((other) => other.reason === replaced[reason]) && (reason !== 'seccompProfile' || index === lastSeccomp),
  );
}
