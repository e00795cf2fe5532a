import type { CSIDriver, CSIDriverSpec, Informer } from '@nodeagent/api';
import { csiError, csiTransient } from './csi-errors.js';
import type { CsiVersion } from './csi-versions.js';

/** A driver that has registered. */
interface RegisteredCsiDriver {
  name: string;
  /** Its socket. */
  endpoint: string;
  version: CsiVersion;
}

export type CsiLifecycleMode = 'Persistent' | 'Ephemeral';

/** What is known of CSI drivers: those that have registered on the node, and what the cluster says of them. */
export interface CsiDrivers {
  set(driver: RegisteredCsiDriver): void;
  delete(name: string): void;
  find(name: string): RegisteredCsiDriver | undefined;
  names(): string[];
  /** Throws a transient error naming `doing` if the driver has not registered. */
  require(name: string, doing: string): RegisteredCsiDriver;
  /** What is known now; undefined if there is no such object, or none is known yet. */
  peek(name: string): CSIDriverSpec | undefined;
  /** As {@link CsiDrivers.peek}, once the objects are known. */
  spec(name: string, signal?: AbortSignal): Promise<CSIDriverSpec | undefined>;
}

/** Without `objects`, as if the cluster had none. */
export function createCsiDrivers(objects?: Informer<CSIDriver>): CsiDrivers {
  const registered = new Map<string, RegisteredCsiDriver>();
  const peek = (name: string) => objects?.get({ name })?.spec;
  return {
    set: (driver) => void registered.set(driver.name, driver),
    delete: (name) => void registered.delete(name),
    find: (name) => registered.get(name),
    names: () => [...registered.keys()],
    require(name, doing) {
      const driver = registered.get(name);
      if (driver === undefined) throw csiTransient(`${doing}: driver name ${name} not found in the list of registered CSI drivers`);
      return driver;
    },
    peek,
    async spec(name, signal) {
      if (objects !== undefined && !objects.synced) await synced(objects, signal);
      return peek(name);
    },
  };
}

function synced(informer: Informer<CSIDriver>, signal: AbortSignal | undefined): Promise<void> {
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
      if (!informer.synced) return;
      end();
      resolve();
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Throws a transient error if the driver does not take such volumes; without an object it only takes persistent ones. */
export function checkCsiLifecycleMode(driver: string, spec: CSIDriverSpec | undefined, mode: CsiLifecycleMode): void {
  const modes = spec === undefined ? ['Persistent'] : (spec.volumeLifecycleModes ?? []);
  if (modes.includes(mode)) return;
  const why = spec === undefined ? 'no CSIDriver object' : `only supports [${modes.map((known) => JSON.stringify(known)).join(' ')}]`;
  throw csiTransient(`volume mode ${JSON.stringify(mode)} not supported by driver ${driver} (${why})`);
}

/** Throws a transient error for an object without a policy, which no API server hands out. */
export function csiFsGroupPolicy(spec: CSIDriverSpec | undefined): string {
  if (spec === undefined) return 'ReadWriteOnceWithFSType';
  if (!spec.fsGroupPolicy)
    throw csiTransient('mounter.SetUpAt failed to check fsGroup policy: expected valid fsGroupPolicy, received nil value or empty string');
  return spec.fsGroupPolicy;
}

/** Whether a driver's volumes have to be attached to the node first. */
export const isCsiAttachRequired = (spec: CSIDriverSpec | undefined) => spec?.attachRequired !== false;

/** Throws for a spec without a CSI source. */
export function notCsi(): never {
  throw csiError('unexpected volume spec: no CSI source');
}
