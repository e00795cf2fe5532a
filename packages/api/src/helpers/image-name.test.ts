import { describe, expect, it } from 'vitest';
import { applyDefaultImageTag, parseImageName } from './image-name.js';

describe('image names', () => {
  it('are normalised', () => {
    expect(parseImageName('nginx')).toEqual({ repository: 'docker.io/library/nginx', tag: 'latest', digest: '' });
    expect(parseImageName('localhost:5000/a/b:1')).toEqual({ repository: 'localhost:5000/a/b', tag: '1', digest: '' });
    expect(parseImageName('index.docker.io/x').repository).toBe('docker.io/library/x');
  });

  it('get a default tag only without tag and digest', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    expect(['nginx', 'nginx:1', `nginx@${digest}`].map(applyDefaultImageTag)).toEqual(['nginx:latest', 'nginx:1', `nginx@${digest}`]);
  });

  it.each(['', 'Nginx', 'a b', 'a/', 'x:', 'x@sha256:short', 'f'.repeat(64), `x/${'a'.repeat(300)}`])('refuse %j', (image) => {
    expect(() => parseImageName(image)).toThrow(expect.objectContaining({ code: 'InvalidImageName', details: { image } }));
  });
});

describe('an invalid image name', () => {
  it.each([
    ['Bad Image!', 'invalid reference format: repository name (library/Bad Image!) must be lowercase'],
    ['ghcr.io/Team/app:1', 'invalid reference format: repository name (Team/app) must be lowercase'],
    ['a b', 'invalid reference format'],
    ['x:', 'invalid reference format'],
    ['', 'invalid reference format'],
  ])('%j is rejected with the violated rule', (image, rule) => {
    expect(() => parseImageName(image)).toThrow(`couldn't parse image name ${JSON.stringify(image)}: ${rule}`);
  });
});
