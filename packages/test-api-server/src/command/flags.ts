import { parseArgs } from 'node:util';
import type { ServiceUrls } from '../network/service-endpoint.js';
import { readServiceUrls } from './service-urls.js';

/** The flags of the command. */
export interface CommandFlags {
  host: string;
  port: number;
  tls: boolean;
  kubeconfig?: string;
  /** Files and folders of objects to apply at the start. */
  apply: string[];
  persist?: string;
  sync: boolean;
  controllers: boolean;
  rbac: boolean;
  /** `NAMESPACE/NAME=URL` each. */
  services: string[];
  serviceUrls: ServiceUrls;
  /** The folder for the certificate of the Services. */
  serviceCerts?: string;
}

export const usage = `Serves the Kubernetes API from memory, for tests in any language. It runs until it gets SIGINT or SIGTERM.

usage: test-api-server [flags]

  --port PORT         port to listen on; 0, the default, is any free one
  --host ADDRESS      address to listen on (default 127.0.0.1)
  --http              serve without TLS; users are then told apart by tokens only
  --kubeconfig FILE   write the kubeconfig of an administrator to this file once the server is ready, and its URL to
                      standard output; by default the kubeconfig is written there
  --crds PATH         apply the CustomResourceDefinitions of a file or folder at the start; may be repeated
  --apply PATH        the same for objects of any kind, such as webhooks
  --persist FILE      keep the objects in this file from one run to the next; a killed server loses no write that it answered
  --sync              with --persist, answer a write only once it is on the disk, so that it survives a power cut too; slower
  --controllers       create the pods of Deployments and other workloads, bind them to nodes, and keep EndpointSlices
  --service-url NAMESPACE/NAME=URL
                      reach a Service of webhooks or of an APIService at this URL, such as https://127.0.0.1:9443; may be
                      repeated. Its certificate must be for NAME.NAMESPACE.svc
  --service-certs FOLDER
                      write such a certificate and its key to tls.crt and tls.key in this folder; needs no caBundle
  --rbac              authorize requests by the roles of the server; by default all are allowed
  --help              print this text
  --version           print the version
`;

/** What the arguments ask for. Throws an Error with a message for the user. */
export function parseFlags(args: readonly string[]): CommandFlags | 'help' | 'version' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
      http: { type: 'boolean', default: false },
      kubeconfig: { type: 'string' },
      crds: { type: 'string', multiple: true, default: [] },
      apply: { type: 'string', multiple: true, default: [] },
      persist: { type: 'string' },
      sync: { type: 'boolean', default: false },
      controllers: { type: 'boolean', default: false },
      rbac: { type: 'boolean', default: false },
      'service-certs': { type: 'string' },
      'service-url': { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h', default: false },
      version: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  if (values.version) return 'version';
  const services = values['service-url'].flatMap((each) => each.split(','));
  const serviceCerts = values['service-certs'];
  if (serviceCerts !== undefined && services.length === 0) throw new Error('--service-certs needs --service-url');
  const { host, port, http, kubeconfig, crds, apply, persist, sync, controllers, rbac } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Error(`--port must be a number from 0 to 65535, not "${port}"`);
  if (sync && persist === undefined) throw new Error('--sync needs --persist FILE');
  return {
    ...{ host, port: Number(port), tls: !http, apply: [...crds, ...apply], sync, controllers, rbac },
    services,
    serviceUrls: readServiceUrls(services),
    ...(serviceCerts !== undefined && { serviceCerts }),
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(persist !== undefined && { persist }),
  };
}
