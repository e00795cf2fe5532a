import { isUnexpired, rotationDeadline, satisfiesTemplate, servingTemplate } from '@nodeagent/certificate-manager/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

/** RFC 3339 with nanoseconds, without trailing zeros, as Go prints a time. */
function formatNanoseconds(ns: bigint): string {
  const [second, fraction] = [ns / 1_000_000_000n, ns % 1_000_000_000n];
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`;
  return `${new Date(Number(second) * 1_000).toISOString().slice(0, 19)}${digits}Z`;
}

export const certificateManagerAdapters: Adapter[] = [
  defineAdapter('cert-rotation-deadline', (input) => {
    const now = Date.parse(input.now);
    const { notBefore, notAfter, ...names } = input.certificate ?? {};
    const certificate = input.certificate ? { ...names, notBefore: Date.parse(notBefore), notAfter: Date.parse(notAfter) } : undefined;
    const template = input.template ?? undefined;
    const deadline = rotationDeadline({ certificate, template, forceRotation: input.forceRotation, now, random: input.random });
    return {
      currentAvailable: certificate !== undefined && isUnexpired(certificate, now),
      deadline: formatNanoseconds(deadline),
      rotateNow: deadline <= BigInt(now) * 1_000_000n,
      satisfiesTemplate: satisfiesTemplate(certificate, template),
    };
  }),
  defineAdapter('cert-server-template', ({ nodeName, addresses }) => ({ template: servingTemplate(nodeName, addresses ?? []) })),
];
