import { invalidOption } from '@nodeagent/api';
import type { ServerNetwork } from './server-network.js';

/** A server without the option `network`: it has the certificate of an authority whose key was deleted. */
export const noNetwork: ServerNetwork = {
  createAuthority: () => ({ cert: keylessAuthority, issueServer: refuse, issueClient: refuse, signRequest: refuse }),
  serve: async () => refuse(),
  forward: async () => refuse(),
  forwardToService: async () => refuse(),
  callWebhook: async () => refuse(),
};

function refuse(): never {
  throw invalidOption('network', 'a ServerNetwork, such as machineNetwork of @nodeagent/test-api-server/node', undefined);
}

const keylessAuthority = `-----BEGIN CERTIFICATE-----
MIIBOzCB4qADAgECAhEA3MIpkxeWM/97ivMpOXp8WzAKBggqhkjOPQQDAjAVMRMw
EQYDVQQDDAprdWJlcm5ldGVzMB4XDTIwMDEwMTAwMDAwMFoXDTQ5MTIzMTIzNTk1
OVowFTETMBEGA1UEAwwKa3ViZXJuZXRlczBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABN0T/a12t5DZx0HPQJfN92j29MzmZ/Y4+bqyNxNizeDV2KODPpQBKayrYO5+
+JGVYHgOduCchRs5r6a0XKcxQpqjEzARMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZI
zj0EAwIDSAAwRQIgZln+HZuU7YVfLpCS1dCSbUolySAAtGA5k6lToI7ZAtkCIQDx
w4g5G3fMbGdbJYjCcpQ2Q8uXKEFb1YoeYFw48DnKYg==
-----END CERTIFICATE-----
`;
