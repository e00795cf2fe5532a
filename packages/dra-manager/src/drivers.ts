import { type Clock, type Logger, NodeAgentError } from '@nodeagent/api';
import { type DraDriverConnection, type DraService, draServices } from './driver-connection.js';
import { draManagerErrorCodes } from './errors.js';

/** Registers DRA drivers that the plugin manager finds: the handler of plugins of type `DRAPlugin`. */
export interface DraRegistration {
  /** Throws `DraRegistrationFailed` if the driver has no service that the manager calls. `services` is the list of versions of the plugin. */
  validate(driver: string, endpoint: string, services: readonly string[]): void;
  /** Adds an instance of the driver. Several instances of a driver may be registered, for rolling updates. */
  register(driver: string, endpoint: string, services: readonly string[], signal: AbortSignal): Promise<void>;
  /** Removes an instance. Idempotent. */
  deregister(driver: string, endpoint: string, signal: AbortSignal): Promise<void>;
}

/** A registered instance of a driver. */
export interface DriverInstance {
  readonly driver: string;
  readonly endpoint: string;
  readonly service: DraService;
  readonly connection: DraDriverConnection;
  isConnected: boolean;
}

interface DriversOptions {
  connect(socketPath: string, service: DraService): DraDriverConnection;
  clock: Clock;
  logger: Logger;
  /** Called after an instance was added, removed, connected or disconnected, with whether an instance of the driver is connected. */
  changed(driver: string, isConnected: boolean): void;
  /** Follows the health that an instance reports, until the signal aborts. Never rejects. */
  watchHealth(instance: DriverInstance, signal: AbortSignal): Promise<void>;
}

/** The registered instances of all drivers. */
export interface Drivers {
  readonly registration: DraRegistration;
  /** The newest connected instance of the driver, else the newest one. Throws an Error if none is registered. */
  get(driver: string): DriverInstance;
  instances(): readonly DriverInstance[];
  stop(): Promise<void>;
}

const pingPeriodMs = 5_000;

/** The service to call: the newest that both sides have. Throws `DraRegistrationFailed`. */
export function chooseDraService(driver: string, endpoint: string, services: readonly string[]): DraService {
  const chosen = draServices.find((service) => services.includes(service));
  if (chosen !== undefined) return chosen;
  throw new NodeAgentError(
    draManagerErrorCodes.registrationFailed,
    `DRA driver ${driver} at ${endpoint} supports [${services.join(' ')}], but none of [${draServices.join(' ')}]`,
  );
}

export function createDrivers({ connect, clock, logger, changed, watchHealth }: DriversOptions): Drivers {
  const running = new Map<DriverInstance, { controller: AbortController; ended: Promise<unknown> }>();

  const instancesOf = (driver: string) => [...running.keys()].filter((instance) => instance.driver === driver);
  const report = (driver: string) => {
    const connected = instancesOf(driver).filter(({ isConnected }) => isConnected);
    changed(driver, connected.length > 0);
  };

  async function ping(instance: DriverInstance, signal: AbortSignal): Promise<void> {
    const isConnected = await instance.connection.ping(signal).then(
      () => true,
      () => false,
    );
    if (signal.aborted || isConnected === instance.isConnected) return;
    instance.isConnected = isConnected;
    const { driver, endpoint } = instance;
    logger.info({ driver, endpoint, isConnected }, `DRA driver ${isConnected ? 'connected' : 'disconnected'}`);
    report(driver);
  }

  async function monitor(instance: DriverInstance, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(pingPeriodMs, signal).catch(() => {});
      if (!signal.aborted) await ping(instance, signal);
    }
  }

  return {
    registration: {
      validate: (driver, endpoint, services) => void chooseDraService(driver, endpoint, services),
      async register(driver, endpoint, services, signal) {
        const service = chooseDraService(driver, endpoint, services);
        if (instancesOf(driver).some((instance) => instance.endpoint === endpoint)) {
          const message = `DRA driver ${driver} is already registered at ${endpoint}`;
          throw new NodeAgentError(draManagerErrorCodes.registrationFailed, message);
        }
        const instance = { driver, endpoint, service, connection: connect(endpoint, service), isConnected: false };
        const controller = new AbortController();
        running.set(instance, {
          controller,
          ended: Promise.all([monitor(instance, controller.signal), watchHealth(instance, controller.signal)]),
        });
        report(driver);
        await ping(instance, AbortSignal.any([controller.signal, signal]));
      },
      async deregister(driver, endpoint) {
        const instance = instancesOf(driver).find((each) => each.endpoint === endpoint);
        if (instance === undefined) return;
        running.get(instance)?.controller.abort();
        running.delete(instance);
        report(driver);
      },
    },
    get(driver) {
      const instances = instancesOf(driver);
      const instance = instances.findLast(({ isConnected }) => isConnected) ?? instances.at(-1);
      if (instance === undefined) throw new Error(`DRA driver ${driver} is not registered`);
      return instance;
    },
    instances: () => [...running.keys()],
    async stop() {
      const all = [...running.values()];
      running.clear();
      for (const { controller } of all) controller.abort();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}
