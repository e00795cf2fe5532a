import type { Clock } from '@nodeagent/api';
import type { NodeHost, PodFiles } from '@nodeagent/core/node';
import { createMemoryPullRecords } from '@nodeagent/image-manager';

type Checkpoints = NonNullable<NodeHost['checkpoints']>;

/** What stays on the disk of a machine when its agent is replaced. */
export interface SimulatedCheckpoints {
  /** For one agent of the machine, on its clock: nothing is saved after a kill of the agent. */
  ports(agent: { clock: Clock; isAlive(): boolean; files: PodFiles }): Pick<NodeHost, 'stateFile'> & { checkpoints: Checkpoints };
  /** All CPU requests that an allocation of the container had, undefined for none: a sync may use the allocation before the last one. */
  savedCpus(podUid: string, container: string): readonly (string | undefined)[];
  /** Duration of a save. No time passes at first: the first agent starts before the clock runs. */
  saveMs: number;
  /** Additional duration of a save. */
  slowMs: number;
  /** How often {@link slowMs} was hit. */
  hits: number;
  /** Called before and after each save. */
  onSave: ((when: 'before' | 'after') => void) | undefined;
}

export function createSimulatedCheckpoints(): SimulatedCheckpoints {
  let allocations: Awaited<ReturnType<Checkpoints['allocations']['load']>>;
  let actuated: Awaited<ReturnType<Checkpoints['actuatedResources']['load']>>;
  const cpus = new Map<string, Set<string | undefined>>();
  const pullRecords = createMemoryPullRecords();

  const simulated: SimulatedCheckpoints = {
    savedCpus: (podUid, container) => [...(cpus.get(`${podUid}/${container}`) ?? [])],
    saveMs: 0,
    slowMs: 0,
    hits: 0,
    onSave: undefined,
    ports({ clock, isAlive, files }) {
      const save = async (write: () => void | Promise<void>): Promise<void> => {
        simulated.onSave?.('before');
        if (simulated.slowMs > 0) simulated.hits++;
        const durationMs = simulated.saveMs + simulated.slowMs;
        if (durationMs > 0) await clock.sleep(durationMs);
        if (isAlive()) await write();
        simulated.onSave?.('after');
        if (!isAlive()) await new Promise<never>(() => {});
      };
      return {
        checkpoints: {
          allocations: {
            load: async () => structuredClone(allocations),
            save: (state) =>
              save(() => {
                allocations = structuredClone(state);
                for (const [uid, { containers }] of Object.entries(state)) {
                  for (const [name, { requests }] of Object.entries(containers)) {
                    const key = `${uid}/${name}`;
                    cpus.set(key, (cpus.get(key) ?? new Set()).add(requests?.cpu));
                  }
                }
              }),
          },
          actuatedResources: {
            load: async () => structuredClone(actuated),
            save: (state) =>
              save(() => {
                actuated = structuredClone(state);
              }),
          },
          pullRecords,
        },
        stateFile: (path) => ({
          load: () => files.readText(path),
          save: (text) => save(() => files.writeFile(path, text, 0o600)),
        }),
      };
    },
  };
  return simulated;
}
