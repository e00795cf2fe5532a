import {
  draHealthService,
  draPluginBetaService,
  draPluginService,
  type GrpcStatus,
  type Implementation,
  type PluginServer,
  registrationService,
  served,
  servePlugin,
  statusError,
} from '@nodeagent/plugin-api';

/** Options of {@link createDraTestDriver}. */
export interface DraTestDriverOptions {
  /** Name of the driver, such as `gpu.example.com`. */
  driver: string;
  /** Path of the driver's socket. */
  socketPath: string;
  /** Path of a registration socket below an agent's `plugins_registry`. Default: the driver does not register itself. */
  registrationSocket?: string;
  /** The versions that the driver announces; it serves both. Default `['v1.DRAPlugin', 'v1beta1.DRAPlugin']`. */
  services?: string[];
  /** The health that it reports until `setHealth`, by device of its pool `pool`. Default: it does not offer the service. */
  health?: TestHealth;
  /** Called with each call that the driver receives. Default: none. */
  onCall?(call: DraDriverCall): void;
}

/** `HEALTHY`, `UNHEALTHY` or `UNKNOWN`, by device. */
export type TestHealth = Readonly<Record<string, 'HEALTHY' | 'UNHEALTHY' | 'UNKNOWN'>>;

/** A call that the driver received. */
export interface DraDriverCall {
  method: 'prepare' | 'unprepare';
  /** The UIDs of its claims. */
  claims: string[];
}

/** A fault of the next call of a method. */
export interface DraDriverFault {
  /** The status of the response. */
  status?: GrpcStatus;
  /** The error of each claim. */
  error?: string;
  /** The driver does not respond. */
  hang?: boolean;
  /** The driver dies during the call. */
  crash?: boolean;
  /** The response contains no claim. */
  empty?: boolean;
  /** The response contains only a claim of this UID. */
  uid?: string;
}

/** A DRA driver over a real socket, for tests. It prepares a claim with the device of CDI id `example.com/gpu=<claim name>`. */
export interface DraTestDriver {
  /** Serves the sockets; can be called again after `stop` or a crash. */
  start(): Promise<void>;
  /** Closes the sockets. Idempotent. */
  stop(): Promise<void>;
  /** Injects a fault into the next call of the method. */
  fail(method: DraDriverCall['method'], fault: DraDriverFault): void;
  /** Reports the health of all devices again. */
  setHealth(health: TestHealth): void;
  /** All calls so far, including failed ones. */
  readonly calls: DraDriverCall[];
  /** The registration statuses that the agent sent: `registered`, or the error. */
  readonly registrations: string[];
}

/** Creates a {@link DraTestDriver}. Throws `InvalidOption` for an unknown option. */
export function createDraTestDriver(options: DraTestDriverOptions): DraTestDriver {
  const { driver: name, socketPath, registrationSocket, services = ['v1.DRAPlugin', 'v1beta1.DRAPlugin'] } = options;
  const servers: PluginServer[] = [];
  const calls: DraDriverCall[] = [];
  const registrations: string[] = [];
  const faults = new Map<DraDriverCall['method'], DraDriverFault>();

  /** Records a call, applies its fault, and returns the UIDs and names to respond with, and their error. */
  async function receive(method: DraDriverCall['method'], claims: readonly { uid: string; name: string }[], signal: AbortSignal) {
    const call = { method, claims: claims.map(({ uid }) => uid) };
    calls.push(call);
    options.onCall?.(call);
    const { status, error = '', hang, crash, empty, uid } = faults.get(method) ?? {};
    faults.delete(method);
    if (crash) void driver.stop();
    if (crash || hang) await aborted(signal);
    if (status !== undefined) throw statusError(status, 'injected fault');
    return { error, claims: empty ? [] : uid === undefined ? claims : [{ uid, name: uid }] };
  }

  const plugin: Implementation<typeof draPluginService> = {
    async nodePrepareResources(request, signal) {
      const { error, claims } = await receive('prepare', request.claims, signal);
      const deviceOf = (claim: string) => ({ poolName: 'pool', deviceName: claim, cdiDeviceIds: [`example.com/gpu=${claim}`] });
      return { claims: claims.map((claim) => ({ key: claim.uid, value: { error, devices: error === '' ? [deviceOf(claim.name)] : [] } })) };
    },
    async nodeUnprepareResources(request, signal) {
      const { error, claims } = await receive('unprepare', request.claims, signal);
      return { claims: claims.map((claim) => ({ key: claim.uid, value: { error } })) };
    },
  };
  let health = options.health ?? {};
  let reportAgain = () => {};
  const healthService: Implementation<typeof draHealthService> = {
    async *nodeWatchResources(_, signal) {
      while (!signal.aborted) {
        yield { devices: Object.entries(health).map(([deviceName, each]) => ({ device: { poolName: 'pool', deviceName }, health: each })) };
        const next = new Promise<void>((resolve) => {
          reportAgain = resolve;
        });
        await Promise.race([next, aborted(signal).catch(() => {})]);
      }
    },
  };
  const registration: Implementation<typeof registrationService> = {
    getInfo: () => ({ type: 'DRAPlugin', name, endpoint: socketPath, supportedVersions: services }),
    notifyRegistrationStatus({ pluginRegistered, error }) {
      registrations.push(pluginRegistered ? 'registered' : error);
      return {};
    },
  };

  const driver: DraTestDriver = {
    async start() {
      await driver.stop();
      const all = [served(draPluginService, plugin), served(draPluginBetaService, plugin)];
      const reported = options.health === undefined ? [] : [served(draHealthService, healthService)];
      servers.push(await servePlugin(socketPath, [...all, ...reported]));
      if (registrationSocket !== undefined)
        servers.push(await servePlugin(registrationSocket, [served(registrationService, registration)]));
    },
    async stop() {
      await Promise.all(servers.splice(0).map((server) => server.close()));
    },
    fail: (method, fault) => void faults.set(method, fault),
    setHealth(next) {
      health = next;
      reportAgain();
    },
    calls,
    registrations,
  };
  return driver;
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
