/** The subject of one case. */
export interface Fixture<S> {
  subject: S;
  /** Releases the subject's resources; called after each case, also after a failed one. */
  cleanup?: () => unknown;
}

/** Creates a new subject. */
export type Factory<S> = () => Fixture<S> | Promise<Fixture<S>>;

/** One promise of a port, with its test. */
export interface SuiteCase<S> {
  /** The promise as a sentence, unique in its suite. */
  name: string;
  /** The capability that it requires; the case is skipped for an implementation without it. */
  capability?: string;
  /** Rejects, usually with an assertion error, if the implementation breaks the promise. */
  run(subject: S): Promise<void>;
}

/** The promises of a port. */
export interface Suite<S> {
  /** The port and its version, such as `CRI v1 runtime`. */
  name: string;
  cases: readonly SuiteCase<S>[];
}

/** Options of a suite's run. */
export interface SuiteOptions {
  /** Capabilities that the implementation does not have. Default none. */
  without?: readonly string[];
}

/** The result of a case. */
export interface CaseResult {
  name: string;
  /** Whether the case was skipped because its capability is missing. */
  skipped: boolean;
  error?: unknown;
}

/** The cases of a suite for an implementation without these capabilities. Throws on a capability that no case needs. */
export function applicableCases<S>(
  suite: Suite<S>,
  { without = [] }: SuiteOptions,
): { applicable: SuiteCase<S>[]; skipped: SuiteCase<S>[] } {
  const unknown = without.filter((capability) => !suite.cases.some((each) => each.capability === capability));
  if (unknown.length > 0) throw new TypeError(`without: the suite "${suite.name}" knows no capability ${unknown.join(', ')}`);
  const lacks = ({ capability }: SuiteCase<S>) => capability !== undefined && without.includes(capability);
  return { applicable: suite.cases.filter((each) => !lacks(each)), skipped: suite.cases.filter(lacks) };
}

/** Runs one case on a fresh subject; rejects if the case fails or its cleanup does. */
export async function runCase<S>(each: SuiteCase<S>, factory: Factory<S>): Promise<void> {
  const { subject, cleanup } = await factory();
  try {
    await each.run(subject);
  } finally {
    await cleanup?.();
  }
}
