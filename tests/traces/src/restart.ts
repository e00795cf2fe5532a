import { type ContainerStatus, errorMessage, type PodStatus } from '@nodeagent/api';
import type { MemoryContainer } from '@nodeagent/memory-runtime';
import { changingCalls, statusLine } from './canonical.js';
import type { Scenario } from './scenario.js';
import { createScenarioNode, type Pleg, type ScenarioNode } from './scenario-node.js';

/** From an agent's kill to the start of the next, in milliseconds. */
const downMs = 500;
/** Long enough for the removal of every pod of a scenario and the garbage collection after it. */
const afterMs = 65_000;

interface Outcome {
  /** Number of starts by container name. */
  starts: Map<string, number>;
  /** The pod's final status; undefined if no status was written. */
  last: string | undefined;
  /** Start and end times of calls with an effect, in milliseconds since the scenario's start. */
  killTimes: number[];
  problems: string[];
}

/** Runs a scenario, kills the agent at the given time and starts the next one; without a time, runs it undisturbed. */
async function live(scenario: Scenario, pleg: Pleg, killAt?: number): Promise<Outcome> {
  const node = createScenarioNode(pleg);
  const { clock, memory, api, setManifests, statuses, nextAgent } = node;
  const problems: string[] = [];
  let { agent, ports } = nextAgent();
  await clock.run(agent.start());
  await clock.run(agent.ready);
  const begin = clock.now();
  const watch = watchForDuplicates(node, problems);
  if (killAt !== undefined) {
    clock.setTimeout(() => ports.kill(), killAt);
    clock.setTimeout(() => {
      ({ agent, ports } = nextAgent());
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
  const killTimes = memory.calls
    .filter(({ method }) => changingCalls.has(method))
    .flatMap(({ at, endedAt }) => [at, endedAt ?? at].map((time) => Math.ceil(time - begin) + 1));
  return { starts, last: endOf(statuses.at(-1)), killTimes: [...new Set(killTimes)].sort((a, b) => a - b), problems };
}

/** The problems after kills of the agent at up to `max` times spread over the scenario: restarts of containers that ran or had succeeded, two running containers of one name, another final status than undisturbed, leftovers.
 */
export async function restartProblems(scenario: Scenario, max: number, pleg: Pleg): Promise<string[]> {
  const undisturbed = await live(scenario, pleg);
  const problems = [...undisturbed.problems];
  for (const killAt of spread(undisturbed.killTimes, max)) {
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

/** Up to `max` of the times, evenly from the first to the last. */
function spread(killTimes: readonly number[], max: number): number[] {
  if (killTimes.length <= max) return [...killTimes];
  return Array.from({ length: max }, (_, i) => killTimes[Math.round((i * (killTimes.length - 1)) / Math.max(max - 1, 1))] ?? 0);
}

/** Checks repeatedly that no two containers of one name run in one pod. */
function watchForDuplicates({ clock, memory }: ScenarioNode, problems: string[]): { stop(): void } {
  let timer = clock.setTimeout(check, 0);
  function check(): void {
    const running = memory.containers().filter(({ state }) => state === 'running');
    const isDuplicate = (a: MemoryContainer, b: MemoryContainer) => a.name === b.name && a.podUid === b.podUid;
    const duplicate = running.find((container, index) => running.findIndex((other) => isDuplicate(container, other)) !== index);
    if (duplicate) {
      problems.push(`two containers ${duplicate.name} run at the same time`);
      return;
    }
    timer = clock.setTimeout(check, 100);
  }
  return { stop: () => timer.cancel() };
}

/** The final status of the pod and its containers, without attempts: a container that was created, not started, because its agent was killed counts as an attempt, as with a kubelet, and ephemeral containers are not retried.
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
