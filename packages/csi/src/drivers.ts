import type { CSIDriver, CSIDriverSpec, Informer } from '@nodeagent/api';
import { finalFailure, transientFailure } from './failures.js';
import type { CsiVersion } from './versions.js';

/** A registered driver. */
interface RegisteredDriver {
  name: string;
  /** Path of its socket. */
  endpoint: string;
  version: CsiVersion;
}

export type LifecycleMode = 'Persistent' | 'Ephemeral';

/** The drivers that are registered on the node, and their CSIDriver objects. */
export interface Drivers {
  set(driver: RegisteredDriver): void;
  delete(name: string): void;
  find(name: string): RegisteredDriver | undefined;
  names(): string[];
  /** Throws a transient error naming `doing` if the driver has not registered. */
  require(name: string, doing: string): RegisteredDriver;
  /** The cached CSIDriver spec; undefined if there is none, or the informer has not synced. */
  peek(name: string): CSIDriverSpec | undefined;
  /** Like {@link Drivers.peek}, but waits for the informer to sync. */
  spec(name: string, signal?: AbortSignal): Promise<CSIDriverSpec | undefined>;
}

/** Without `objects`, drivers have no CSIDriver. */
export function createDrivers(objects?: Informer<CSIDriver>): Drivers {
  const registered = new Map<string, RegisteredDriver>();
  const peek = (name: string) => objects?.get({ name })?.spec;
  return {
    set: (driver) => void registered.set(driver.name, driver),
    delete: (name) => void registered.delete(name),
    find: (name) => registered.get(name),
    names: () => [...registered.keys()],
    require(name, doing) {
      const driver = registered.get(name);
      if (driver === undefined) throw transientFailure(`${doing}: driver name ${name} not found in the list of registered CSI drivers`);
      return driver;
    },
    peek,
    async spec(name, signal) {
      if (objects !== undefined && !objects.hasSynced) await untilSynced(objects, signal);
      return peek(name);
    },
  };
}

function untilSynced(informer: Informer<CSIDriver>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      unlisten();
      signal?.removeEventListener('abort', abort);
    };
    const abort = () => {
      end();
      reject(signal?.reason);
    };
    const unlisten = informer.onChange(() => {
      if (!informer.hasSynced) return;
      end();
      resolve();
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Throws a transient error if the driver does not support the mode; without a CSIDriver it supports only persistent volumes. */
export function checkLifecycleMode(driver: string, spec: CSIDriverSpec | undefined, mode: LifecycleMode): void {
  const modes = spec === undefined ? ['Persistent'] : (spec.volumeLifecycleModes ?? []);
  if (modes.includes(mode)) return;
  const why = spec === undefined ? 'no CSIDriver object' : `only supports [${modes.map((known) => JSON.stringify(known)).join(' ')}]`;
  throw transientFailure(`volume mode ${JSON.stringify(mode)} not supported by driver ${driver} (${why})`);
}

/** Throws a transient error for a CSIDriver without a policy; the API server always sets one. */
export function fsGroupPolicyOf(spec: CSIDriverSpec | undefined): string {
  if (spec === undefined) return 'ReadWriteOnceWithFSType';
  if (!spec.fsGroupPolicy)
    throw transientFailure(
      'mounter.SetUpAt failed to check fsGroup policy: expected valid fsGroupPolicy, received nil value or empty string',
    );
  return spec.fsGroupPolicy;
}

/** Whether a driver's volumes must be attached to the node first. */
export const isAttachRequired = (spec: CSIDriverSpec | undefined) => spec?.attachRequired !== false;

/** Throws for a spec without a CSI source. */
export function notCsi(): never {
  throw finalFailure('unexpected volume spec: no CSI source');
}
