import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '@nodeagent/api';
import { followClientSockets } from './client-sockets.js';
import { quietDetector } from './quiet.js';

/** A client without a request for this time after connecting waits for virtual time. */
const hesitationMs = 1_000;

/** The connections of a server, and whether their clients are quiet. */
export class Connections {
  /** Resolves when clients in this process have no request in flight, see {@link quietDetector}. */
  readonly quiet = quietDetector({
    traffic: () => this.#traffic(),
    hesitates: () => this.#hesitates(),
    isSettled: () => this.#isSettled(),
  });
  readonly #clients = followClientSockets();
  readonly #isTls: boolean;
  /** All connections, those whose TLS handshake is not complete included. */
  readonly #all = new Set<Socket>();
  readonly #established = new Set<Socket>();
  /** Connection times of clients without a request yet, by port. */
  readonly #newcomers = new Map<number | undefined, number>();
  #past = 0;
  readonly #answers = new Set<ServerResponse>();
  /** Clients decompress in another thread, whose work is invisible. */
  #hasCompressed = false;

  constructor(server: Server, isTls: boolean) {
    this.#isTls = isTls;
    server.on('connection', (socket: Socket) => {
      this.#newcomers.set(socket.remotePort, systemClock.monotonic());
      this.#all.add(socket);
      socket.once('close', () => this.#all.delete(socket));
    });
    server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => this.#establish(socket));
  }

  /** Notes a request; one without `outgoing` is an upgrade. */
  requested({ remotePort }: Socket, outgoing?: ServerResponse): void {
    this.#newcomers.delete(remotePort);
    if (outgoing === undefined) return;
    this.#answers.add(outgoing);
    outgoing.once('close', () => {
      this.#answers.delete(outgoing);
      this.#hasCompressed ||= outgoing.hasHeader('content-encoding');
    });
  }

  destroy(): void {
    this.#clients.stop();
    for (const socket of this.#all) socket.destroy();
  }

  #establish(socket: Socket): void {
    this.#past++;
    this.#established.add(socket);
    const { remotePort } = socket;
    socket.once('close', () => {
      this.#newcomers.delete(remotePort);
      this.#past += 1 + bytesOf(socket);
      this.#established.delete(socket);
    });
  }

  #traffic(): number {
    return [...this.#established].reduce((sum, socket) => sum + bytesOf(socket), this.#past);
  }

  /** Whether a client has connected recently without a request yet: it may be busy with its keys or its parser. */
  #hesitates(): boolean {
    const earliest = systemClock.monotonic() - hesitationMs;
    for (const [port, since] of this.#newcomers) if (since < earliest) this.#newcomers.delete(port);
    return this.#newcomers.size > 0;
  }

  /** Whether every byte has arrived, and every request has its answer or the head of a stream. */
  #isSettled(): boolean {
    if (this.#isTls || this.#hasCompressed) return false;
    for (const { headersSent } of this.#answers) if (!headersSent) return false;
    return this.#clients.haveReceivedAll(this.#established);
  }
}

const bytesOf = ({ bytesRead, bytesWritten }: Socket) => bytesRead + bytesWritten;
