import { type Mutant, mutantsOf } from '../mutant.js';

/** Mutants of the packages for the node: its status, eviction, images, configuration, servers and command line. */
export const nodeMutants: readonly Mutant[] = [
  ...mutantsOf(
    'certificate-manager',
    ['valid-from-later', 'issued-problem.ts', 'if (earliest > BigInt(now) * 1_000_000n) return undefined;', ''],
    ['expires-at-once-at-its-end', 'rotation-deadline.ts', 'return now <= notAfter;', 'return now < notAfter;'],
  ),
  ...mutantsOf(
    'cli',
    ['colours-despite-no-color', 'console.ts', 'isRedrawable(stream, env) && !env.NO_COLOR', 'isRedrawable(stream, env)'],
    ['page-without-a-port', 'commands/server-flags.ts', 'if (values.ui === true && port === 0)', 'if (values.ui === true && port < 0)'],
  ),
  ...mutantsOf(
    'eviction',
    ['any-limit-exceeded', 'eviction-manager.ts', 'if (overLimits.length > 0) return overLimits;', ''],
    ['kill-waits-the-grace-only', 'evict-pod.ts', '1.5 * gracePeriodOverride', 'gracePeriodOverride'],
    [
      'negative-reclaim',
      'parse-thresholds.ts',
      'if (quantity.sign < 0) throw new Error(`negative eviction minimum reclaim',
      'if (quantity.sign > 1) throw new Error(`negative eviction minimum reclaim',
    ],
    [
      'evicts-after-enough-is-freed',
      'pressure-relief.ts',
      'if (await this.#reclaimNode(threshold, node.layout, signal)) return [];',
      'await this.#reclaimNode(threshold, node.layout, signal);',
    ],
    [
      'evicts-two-pods',
      'pressure-relief.ts',
      'gracePeriod(threshold, pod), signal)) return [pod];',
      'gracePeriod(threshold, pod), signal)) continue;',
    ],
    ['grace-beyond-the-pods-own', 'pressure-relief.ts', 'Math.min(maxPodGracePeriod, own)', 'maxPodGracePeriod'],
  ),
  ...mutantsOf(
    'image-gc',
    ['just-used-is-removed', 'plan.ts', "if (lastUsed !== undefined && lastUsed >= now) return 'JustUsed';", ''],
    ['newest-first', 'image-record.ts', 'lastA < lastB ? -1 : 1', 'lastA < lastB ? 1 : -1'],
    ['too-little-freed-is-enough', 'image-gc-manager.ts', 'if (freedBytes < bytesToFree) {', 'if (freedBytes < 0) {'],
  ),
  ...mutantsOf(
    'image-manager',
    ['never-pulls', 'image-manager.ts', "if (present === undefined && pullPolicy === 'Never') throw this.#neverPull(request);", ''],
    ['waits-the-back-off-of-others', 'image-pulls.ts', 'const key = `', 'const key = image || `'],
  ),
  ...mutantsOf(
    'kubelet-config',
    ['critical-grace-exceeds-all', 'validate/shutdown.ts', 'problems.check(last <= all,', 'problems.check(true,'],
    ['grace-below-a-second', 'validate/shutdown.ts', 'problems.check(last === 0n || last >= second,', 'problems.check(true,'],
    ['parallel-and-serial-pulls', 'validate/images.ts', '!(serializeImagePulls && pulls > 1),', 'true,'],
    ['negative-image-age', 'validate/numbers.ts', 'problems.check(min >= 0n,', 'problems.check(true,'],
    ['total-grace-below-a-second', 'validate/shutdown.ts', 'problems.check(all === 0n || all >= second,', 'problems.check(true,'],
    ['grace-by-priority-and-in-total', 'validate/shutdown.ts', "problems.check(!isSet, 'Cannot", "problems.check(true, 'Cannot"],
    ['no-parallel-pull', 'validate/images.ts', 'problems.check(pulls >= 1,', 'problems.check(pulls >= 0,'],
    ['allowlist-of-any-policy', 'validate/images.ts', 'if (policy !== allowlisted) {', "if (policy === '') {"],
    ['invalid-image-pattern', 'validate/images.ts', 'problems.check(problem === undefined,', 'problems.check(true,'],
  ),
  ...mutantsOf('node-page', ['stale-page', 'page-asset.ts', 'each.trim() === etag', 'each.trim() !== etag']),
  ...mutantsOf('node-shutdown', [
    'pods-own-grace-is-overlooked',
    'shutdown-groups.ts',
    'Math.min(own, group.shutdownGracePeriodSeconds)',
    'group.shutdownGracePeriodSeconds',
  ]),
  ...mutantsOf(
    'node-status',
    [
      'reads-the-node-after-any-error',
      'manager/register.ts',
      "if (!isApiReason(error, 'AlreadyExists') && !isApiReason(error, 'Forbidden')) {",
      'if (error === undefined) {',
    ],
    [
      'quantities-differ-by-spelling',
      'status/semantic-equal.ts',
      'return a === b || Quantity.parse(a).equals(Quantity.parse(b));',
      'return a === b;',
    ],
    ['registers-once', 'manager/register.ts', '    if (node !== undefined) return node;', '    return node as Node;'],
  ),
  ...mutantsOf('oom-watcher', ['old-records-again', 'node-kernel-log.ts', ' || record.sequence <= last', '']),
  ...mutantsOf('pod-resources', ['no-rate-limit', 'rate-limit.ts', 'if (tokens < 1) return false;', '']),
  ...mutantsOf(
    'server',
    ['answers-of-other-requests', 'access/authorizer.ts', 'answers.get(JSON.stringify(spec),', 'answers.get(username,'],
    ['denied-is-allowed', 'access/authorizer.ts', ' && status.denied !== true', ''],
    ['foreign-origin', 'access/foreign-origin.ts', 'new URL(origin).origin === new URL(own).origin', 'true'],
    ['reviews-never-expire', 'access/review-cache.ts', 'if (clock.monotonic() < known.until) {', 'if (known) {'],
    ['rejected-certificate-is-anonymous', 'access/authenticator.ts', "if (certificate === 'rejected' || !anonymous)", 'if (!anonymous)'],
    ['relays-the-credentials', 'access/bearer-token.ts', "lower !== 'authorization' && ", ''],
  ),
  ...mutantsOf(
    'stats',
    ['old-answers-stay', 'ttl-cache.ts', 'monotonic() - found.at < ttlMs', 'true'],
    ['rate-of-an-instant', 'cgroup/sampler.ts', 'if (elapsedMs < minRateMs) return before;', ''],
    [
      'limits-stay-below-usage',
      'cgroup/sampler.ts',
      'if (known !== undefined && usageBytes > limitBytes) {',
      'if (known !== undefined && usageBytes < 0n) {',
    ],
    [
      'unused-rates-stay',
      'cri/usage-nano-cores.ts',
      'if (now - touched > maxAgeMs) entries.delete(id);',
      'if (now - touched > 9 * maxAgeMs) entries.delete(id);',
    ],
  ),
];
