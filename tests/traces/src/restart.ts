import { type ContainerStatus, errorMessage, type PodStatus } from '@nodeagent/api';
import type { MemoryContainer } from '@nodeagent/memory-runtime';
import { changingCalls, statusLine } from './canonical.js';
import type { Scenario } from './scenario.js';
import { createScenarioNode, type Pleg, type ScenarioNode } from './scenario-node.js';

/** From an agent's end to the start of the next, in milliseconds. */
const downMs = 500;
/** Long enough for every pod of a scenario to be gone, and for what it left to be collected. */
const afterMs = 65_000;

interface Outcome {
  /** How often a container of that name was started. */
  starts: Map<string, number>;
  /** How the pod ended; undefined if no status was written. */
  last: string | undefined;
  /** When calls that change something began and ended, in milliseconds since the scenario's begin. */
  moments: number[];
  problems: string[];
}

/** Runs a scenario with the agent killed at a moment and the next one started on what it left; without a moment undisturbed. */
async function live(scenario: Scenario, pleg: Pleg, killAt?: number): Promise<Outcome> {
  const node = createScenarioNode(pleg);
  const { clock, memory, api, setManifests, statuses, nextAgent } = node;
  const problems: string[] = [];
  let { agent, life } = nextAgent();
  await clock.run(agent.start());
  await clock.run(agent.ready);
  const begin = clock.now();
  const watch = watchForTwins(node, problems);
  if (killAt !== undefined) {
    clock.setTimeout(() => life.kill(), killAt);
    clock.setTimeout(() => {
      ({ agent, life } = nextAgent());
      agent.start().catch((error) => problems.push(`the next agent does not start: ${errorMessage(error)}`));
    }, killAt + downMs);
  }
  await scenario.act({ api, setManifests, memory, clock, namespace: `ns-${scenario.name}` });
  await clock.advance(2 * downMs);
  watch.stop();
  await clock.advance(afterMs);
  await clock.run(agent.stop());

  const left = memory.containers().filter(({ state }) => state === 'running');
  if (left.length > 0) problems.push(`still running at the end: ${left.map(({ name }) => name).join(', ')}`);
  if (memory.sandboxes().some(({ ready }) => ready)) problems.push('a sandbox is left');
  const started = memory.callsOf('startContainer').filter(({ error }) => error === undefined);
  const nameOf = new Map(memory.callsOf('createContainer').map(({ request, response }) => [idOf(response), containerName(request)]));
  const starts = new Map<string, number>();
  for (const { request } of started) {
    const name = nameOf.get(idOf(request)) ?? '?';
    starts.set(name, (starts.get(name) ?? 0) + 1);
  }
  const moments = memory.calls
    .filter(({ method }) => changingCalls.has(method))
    .flatMap(({ at, endedAt }) => [at, endedAt ?? at].map((time) => Math.ceil(time - begin) + 1));
  return { starts, last: endOf(statuses.at(-1)), moments: [...new Set(moments)].sort((a, b) => a - b), problems };
}

/**
 * What goes wrong when the agent is killed at moments all over the scenario, at most `most` of them: containers that are started again
 * although they still ran or had ended well, two of a name at once, another end than undisturbed, something left behind.
 */
export async function restartProblems(scenario: Scenario, most: number, pleg: Pleg): Promise<string[]> {
  const undisturbed = await live(scenario, pleg);
  const problems = [...undisturbed.problems];
  for (const killAt of spread(undisturbed.moments, most)) {
    const at = `killed after ${killAt} ms: `;
    try {
      const outcome = await live(scenario, pleg, killAt);
      problems.push(...outcome.problems.map((problem) => at + problem));
      if (!scenario.restarts && outcome.last !== undisturbed.last)
        problems.push(`${at}ends as ${outcome.last}, not as ${undisturbed.last}`);
      for (const [name, count] of outcome.starts) {
        const expected = undisturbed.starts.get(name) ?? 0;
        if (!scenario.restarts && count !== expected) problems.push(`${at}${name} is started ${count} times, not ${expected}`);
      }
    } catch (error) {
      problems.push(at + errorMessage(error));
    }
  }
  return problems;
}

/** At most `most` of the moments, from the first to the last. */
function spread(moments: readonly number[], most: number): number[] {
  if (moments.length <= most) return [...moments];
  return Array.from({ length: most }, (_, i) => moments[Math.round((i * (moments.length - 1)) / Math.max(most - 1, 1))] ?? 0);
}

/** Looks again and again whether two containers of one name in one pod run at once. */
function watchForTwins({ clock, memory }: ScenarioNode, problems: string[]): { stop(): void } {
  let timer = clock.setTimeout(look, 0);
  function look(): void {
    const running = memory.containers().filter(({ state }) => state === 'running');
    const isTwin = (a: MemoryContainer, b: MemoryContainer) => a.name === b.name && a.podUid === b.podUid;
    const twin = running.find((container, index) => running.findIndex((other) => isTwin(container, other)) !== index);
    if (twin) {
      problems.push(`two containers ${twin.name} run at once`);
      return;
    }
    timer = clock.setTimeout(look, 100);
  }
  return { stop: () => timer.cancel() };
}

/**
 * How the pod and its containers ended. How often a container was made is left out: one that was created and never started because its
 * agent was killed in between counts as an attempt, as with a kubelet, and an ephemeral container is not tried again at all.
 */
function endOf(status: PodStatus | undefined): string | undefined {
  if (status === undefined) return undefined;
  const lastOnly = (list: ContainerStatus[] | undefined) => (list ?? []).map((each) => ({ ...each, restartCount: 0, lastState: {} }));
  return statusLine({
    ...status,
    observedGeneration: 0,
    conditions: [],
    initContainerStatuses: lastOnly(status.initContainerStatuses),
    containerStatuses: lastOnly(status.containerStatuses),
    ephemeralContainerStatuses: [],
  });
}

const idOf = (message: unknown) => (message as { containerId?: string } | undefined)?.containerId ?? '';
const containerName = (request: unknown) => (request as { config?: { metadata?: { name?: string } } }).config?.metadata?.name ?? '';
