/** A place in a JSON document for a finding: `ucp.services["dev.ucp.shopping"][0].endpoint`. */
export function jsonPath(base: string, ...segments: readonly (string | number)[]): string {
  return segments.reduce<string>((path, segment) => {
    if (typeof segment === 'number') return `${path}[${segment}]`;
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(segment)) return `${path}["${segment.slice(0, 100)}"]`;
    return path === '' ? segment : `${path}.${segment}`;
  }, base);
}
