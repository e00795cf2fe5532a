/**
 * What determines a run of the playground: the same state gives the same run, so it is what a permalink carries and what a jump back
 * replays.
 */
export interface PlaygroundState {
  /** YAML documents that are applied at the start. */
  manifests: string;
  /** Seed of jitter, names and UIDs. */
  seed: number;
  /** Number of nodes, 1 to {@link maxNodes}. */
  nodes: number;
  /** Periods of the agents' periodic work; see `TestClusterOptions.periods`. */
  periods: 'kubelet' | 'long';
  /** What the user did, by time. */
  actions: readonly Action[];
}

/** An action of the user at a time, in milliseconds since the nodes were ready. */
export type Action = { at: number } /** The objects become those of the manifests: others that were applied are deleted. */ & (
  | { kind: 'apply'; manifests: string }
  /** The objects of the manifests are created or changed. */
  | { kind: 'add'; manifests: string }
  | { kind: 'delete'; object: ObjectReference; graceSeconds?: number }
  | { kind: 'kill'; namespace: string; pod: string; container: string }
  | { kind: 'crash'; node: string }
  | { kind: 'kill-agent'; node: string }
  | { kind: 'restart'; node: string }
  | { kind: 'partition'; node: string }
  | { kind: 'heal'; node: string }
  | { kind: 'fill-disk'; node: string; share: string }
  | { kind: 'use-memory'; node: string; quantity: string }
  | { kind: 'shutdown'; node: string }
  | { kind: 'pull-delay'; ms: number }
);

type ActionKind = Action['kind'];

/** An object of the API server. */
interface ObjectReference {
  /** Plural, such as `pods`. */
  resource: string;
  /** Absent for an object without a namespace. */
  namespace?: string;
  name: string;
}

export const maxNodes = 100;
const maxActions = 10_000;
export const maxSeed = 2 ** 32 - 1;

type FieldType = 'string' | 'number';

/** The fields of each kind of action beside its time. */
const actionFields: {
  readonly [K in ActionKind]: Readonly<
    Record<Exclude<keyof Extract<Action, { kind: K }>, 'at' | 'kind' | 'object' | 'graceSeconds'>, FieldType>
  >;
} = {
  apply: { manifests: 'string' },
  add: { manifests: 'string' },
  delete: {},
  kill: { namespace: 'string', pod: 'string', container: 'string' },
  crash: { node: 'string' },
  'kill-agent': { node: 'string' },
  restart: { node: 'string' },
  partition: { node: 'string' },
  heal: { node: 'string' },
  'fill-disk': { node: 'string', share: 'string' },
  'use-memory': { node: 'string', quantity: 'string' },
  shutdown: { node: 'string' },
  'pull-delay': { ms: 'number' },
};

/** What is wrong with a value that should be a state, naming the field; undefined for a state. */
export function stateProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return 'the state is not an object';
  const { manifests, seed, nodes, periods, actions } = value;
  if (typeof manifests !== 'string') return 'manifests: must be a text';
  if (!isCount(seed, 0, maxSeed)) return `seed: must be an integer from 0 to ${maxSeed}`;
  if (!isCount(nodes, 1, maxNodes)) return `nodes: must be an integer from 1 to ${maxNodes}`;
  if (periods !== 'kubelet' && periods !== 'long') return 'periods: must be "kubelet" or "long"';
  if (!Array.isArray(actions)) return 'actions: must be a list';
  if (actions.length > maxActions) return `actions: must be at most ${maxActions}`;
  for (const [index, action] of actions.entries()) {
    const problem = actionProblem(action);
    if (problem !== undefined) return `actions[${index}]${problem}`;
    if (index > 0 && action.at < actions[index - 1].at) return `actions[${index}].at: must not be before the previous action`;
  }
  return undefined;
}

function actionProblem(action: unknown): string | undefined {
  if (!isRecord(action)) return ': must be an object';
  const { at, kind, object } = action;
  if (typeof at !== 'number' || !(at >= 0)) return '.at: must be a number of at least 0';
  if (typeof kind !== 'string' || !Object.hasOwn(actionFields, kind)) return `.kind: "${String(kind)}" is no kind of action`;
  const fields: Readonly<Record<string, FieldType>> = actionFields[kind as ActionKind];
  const wrong = Object.entries(fields).find(([field, type]) => typeof action[field] !== type);
  if (wrong) return `.${wrong[0]}: must be a ${wrong[1]}`;
  if (kind === 'delete' && !(isRecord(object) && typeof object.resource === 'string' && typeof object.name === 'string'))
    return '.object: must have a resource and a name';
  return undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown, min: number, max: number) =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
