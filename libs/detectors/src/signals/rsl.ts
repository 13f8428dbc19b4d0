import { linksOf, type Link } from '../evidence/links';
import { parseUrl } from '../formats/parse-url';
import { directives, homeOf, robotsLines } from '../evidence/home-and-robots';
import { ABSENT, type SignalDefinition } from './signal';

/** Really Simple Licensing, https://rslstandard.org/: a licence named in robots.txt or linked from the home page. */
export const rsl: SignalDefinition = {
  id: 'rsl',
  judge(seen) {
    const [lines, home] = [robotsLines(seen), homeOf(seen)];
    const stated = directives(lines ?? [], 'License')[0];
    if (stated !== undefined) {
      const url = parseUrl(stated);
      const absolute = url?.protocol === 'https:' || url?.protocol === 'http:';
      return { status: absolute ? 'valid' : 'faulty', at: `${seen.origin}/robots.txt` };
    }
    // A plain `rel="license"` leads to a text for people, which says nothing of RSL.
    const isLicence = ({ rel, type }: Link): boolean => rel.includes('license') && type === 'application/rsl+xml';
    if (home && linksOf(home).some(isLicence)) return { status: 'valid', at: `${seen.origin}/` };
    return lines === undefined ? undefined : ABSENT;
  },
};
