import fc from 'fast-check';
import { VARIABLES } from './config';
import { unknownVariables } from './unknown-variables';

const LONG_NAMES = VARIABLES.filter((name) => name.includes('_'));

describe('unknownVariables', () => {
  it('ignores variables that exist, are empty, or belong to other programs', () => {
    const known = Object.fromEntries(VARIABLES.map((name) => [name, 'x']));
    const others = ['PATH', 'HOME', 'HOSTNAME', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'LOG_DIR', 'REDIS_PASSWORD'];
    const ofKubernetes = ['WORKER_SERVICE_HOST', 'WORKER_PORT_3000_TCP_ADDR', 'METRICS_SERVICE_PORT_HTTP'];
    const foreign = Object.fromEntries([...others, ...ofKubernetes].map((name) => [name, 'x']));
    const address = { WORKER_PORT: 'tcp://10.0.0.7:3000' };
    expect(unknownVariables({ ...known, ...foreign, ...address, TARGET_CONCURENCY: '' })).toEqual([]);
  });

  it('reports a variable with one of our prefixes, and the nearest known one', () => {
    expect(unknownVariables({ RATE_LIMIT_CHECKS: '5' })).toEqual([
      'RATE_LIMIT_CHECKS is not a hostprobe variable and has no effect. Did you mean RATE_LIMIT_CHECKS_PER_MIN?',
    ]);
  });

  it('finds every variable from a name with one letter omitted, doubled or changed', () => {
    const slip = fc.constantFrom(...LONG_NAMES).chain((name) =>
      fc
        .record({
          at: fc.nat(name.length - 1),
          letter: fc.constantFrom('A', 'B', 'C', 'X', 'Y', 'Z'),
          kind: fc.constantFrom(0, 1, 2),
        })
        .map(({ at, letter, kind }) => {
          const middle = ['', `${name[at]!}${name[at]!}`, letter][kind]!;
          return { name, typed: name.slice(0, at) + middle + name.slice(at + 1) };
        })
        .filter(({ typed }) => !VARIABLES.includes(typed) && typed.includes('_')),
    );
    fc.assert(
      fc.property(slip, ({ name, typed }) => {
        const [sentence] = unknownVariables({ [typed]: 'x' });
        expect(sentence).toMatch(new RegExp(`^${typed} is not .* ${name}\\?$`));
      }),
      { numRuns: 300 },
    );
  });
});
