import { NodeAgentError } from '../contracts/errors.js';
import { apiErrorCodes } from '../errors.js';
import { quoteText } from './text.js';

/** A parsed and normalised image reference. */
export interface ImageName {
  /** With its registry: `docker.io/library/nginx`. */
  repository: string;
  /** `latest` if the reference has neither tag nor digest; '' if it has only a digest. */
  tag: string;
  /** `sha256:...`, or ''. */
  digest: string;
}

const defaultDomain = 'docker.io';
const domainPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = new RegExp(`^(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`);
const pathPart = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const path = new RegExp(`^${pathPart}(?:/${pathPart})*$`);
const tagForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const digestForm = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const maxPath = 255;

function invalid(image: string, rule: string): NodeAgentError {
  return new NodeAgentError(apiErrorCodes.invalidImageName, `couldn't parse image name ${quoteText(image)}: ${rule}`, {
    details: { image },
  });
}

/**
 * Parses an image reference by the distribution reference grammar; a name without a registry refers to docker.io, where `library/` is
 * implied. Throws `InvalidImageName`. Kubernetes documentation, "Images: image names".
 */
export function parseImageName(image: string): ImageName {
  if (/^[a-f0-9]{64}$/.test(image)) throw invalid(image, `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`);
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(slash, 0));
  const hasDomain = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  const registry = !hasDomain || first === 'index.docker.io' ? defaultDomain : first;
  const remainder = hasDomain ? image.slice(slash + 1) : image;

  const at = remainder.indexOf('@');
  const digest = at < 0 ? undefined : remainder.slice(at + 1);
  const tagged = at < 0 ? remainder : remainder.slice(0, at);
  const colon = tagged.indexOf(':');
  const tag = colon < 0 ? undefined : tagged.slice(colon + 1);
  const name = colon < 0 ? tagged : tagged.slice(0, colon);

  const full = registry === defaultDomain && !name.includes('/') ? `library/${name}` : name;
  if (name !== name.toLowerCase()) throw invalid(image, `invalid reference format: repository name (${full}) must be lowercase`);
  const wellFormed = domain.test(registry) && path.test(name) && (tag === undefined || tagForm.test(tag));
  if (!wellFormed) throw invalid(image, 'invalid reference format');
  if (digest !== undefined && !digestForm.test(digest)) throw invalid(image, 'invalid digest format');
  if (full.length > maxPath) throw invalid(image, `repository name must not be more than ${maxPath} characters`);
  return { repository: `${registry}/${full}`, tag: tag ?? (digest === undefined ? 'latest' : ''), digest: digest ?? '' };
}

/** The reference that the runtime gets: with `:latest` if it has neither tag nor digest. Throws `InvalidImageName`. */
export function applyDefaultImageTag(image: string): string {
  const { tag, digest } = parseImageName(image);
  return digest === '' && tag !== '' && !image.endsWith(`:${tag}`) ? `${image}:${tag}` : image;
}
