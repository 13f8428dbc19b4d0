import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { loadAll } from 'js-yaml';
import { blockedReasonOf } from '../libs/probing/src/address-policy';
import { INSIDE, OUTSIDE } from './support/address-ranges';
import { partOf } from './support/generated';

const guide = readFileSync('docs/egress.md', 'utf8');
const rules = /```nft\n([^`]+)```/.exec(guide)![1]!;

const elementsOf = (set: string): readonly string[] =>
  new RegExp(`set ${set} \\{[^{]*\\{([^}]*)\\}`)
    .exec(rules)![1]!
    .split(',')
    .map((range) => range.trim());

const isIn = (address: string, range: string): boolean => {
  const [parsed, network] = [ipaddr.parse(address), ipaddr.parseCIDR(range.includes('/') ? range : `${range}/32`)];
  return parsed.kind() === network[0].kind() && parsed.match(network);
};

/** Whether the rules allow a worker to connect to an address on a web port. */
function passesRules(address: string): boolean {
  const refused = [...elementsOf('refused4'), ...elementsOf('refused6')];
  if (refused.some((range) => isIn(address, range))) return false;
  return ipaddr.IPv4.isValid(address) || isIn(address, '2000::/3');
}

interface Block {
  readonly cidr: string;
  readonly except: readonly string[];
}

interface Policy {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly policyTypes: readonly string[];
    readonly ingress: readonly { readonly from?: unknown; readonly ports: readonly { readonly port: number }[] }[];
    readonly egress?: readonly {
      readonly to: readonly { readonly ipBlock?: Block }[];
      readonly ports: readonly { readonly port: number; readonly protocol?: string }[];
    }[];
  };
}

const policies = loadAll(readFileSync('deploy/kubernetes/network-policy.yaml', 'utf8')) as Policy[];
const worker = policies.find(({ metadata }) => metadata.name === 'worker')!;
const toAddresses = worker.spec.egress!.filter(({ to }) => to.some(({ ipBlock }) => ipBlock));

const passesPolicy = (address: string): boolean =>
  toAddresses
    .flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? []))
    .some(({ cidr, except }) => isIn(address, cidr) && !except.some((range) => isIn(address, range)));

const addresses = fc.oneof(
  fc.ipV4(),
  fc.ipV6().filter((address) => ipaddr.IPv6.isValid(address)),
  fc
    .tuple(
      fc.constantFrom('2001', '2001:1ff', '2001:200', '2001:db8', '2002', '2620:4f:8000', '3fff', '2606:4700'),
      fc.nat(0xffff),
    )
    .map(([prefix, last]) => `${prefix}::${last.toString(16)}`),
);

describe.each([
  ['the nftables rules of the guide', passesRules],
  ['the policy of the cluster', passesPolicy],
] as const)('%s', (_, passes) => {
  it('agree with the guard on every address of its table', () => {
    for (const address of INSIDE) expect([address, passes(address)]).toEqual([address, false]);
    for (const address of OUTSIDE) expect([address, passes(address)]).toEqual([address, true]);
  });

  it('agree with the guard on any address', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        expect([address, passes(address)]).toEqual([address, blockedReasonOf(address) === undefined]);
      }),
      { numRuns: partOf(20_000) },
    );
  });
});

describe('the nftables rules of the guide', () => {
  it('filter outgoing and incoming traffic, and refuse anything that is not listed', () => {
    for (const [hook, chain] of [
      ['forward', 'fence'],
      ['input', 'machine'],
    ] as const) {
      expect(rules).toMatch(new RegExp(`hook ${hook} [^}]*iifname "prober0" jump ${chain}`));
      const [, body] = new RegExp(`chain ${chain} \\{([^]*?)\\n  \\}`).exec(rules)!;
      expect(body!.trim().split('\n').at(-1)!.trim()).toBe('counter reject');
    }
    expect(rules).toMatch(/^table inet prober\ndelete table inet prober\n/);
  });

  it('use the bridge and the address of the compose file', () => {
    const compose = readFileSync('docker-compose.yml', 'utf8');
    expect(compose).toContain('com.docker.network.bridge.name: prober0');
    expect(elementsOf('nameservers')).toEqual(['10.77.0.1']);
    expect(compose).toContain('gateway: 10.77.0.1');
  });
});

describe('the policies of the cluster', () => {
  it('restrict the existing pods to web ports, name servers and databases', () => {
    for (const { metadata, spec } of policies) {
      const deployment = readFileSync(`deploy/kubernetes/${metadata.name}.yaml`, 'utf8');
      const { app, part } = spec.podSelector.matchLabels;
      expect(deployment).toContain(`labels: { app: ${app}, part: ${part} }`);
    }
    expect(worker.spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(toAddresses.map(({ ports }) => ports)).toEqual([[{ port: 443 }, { port: 80 }]]);
    const ports = worker.spec.egress!.flatMap((rule) => rule.ports.map(({ port }) => port));
    expect(ports.sort((a, b) => a - b)).toEqual([53, 53, 80, 443, 5_432, 6_379]);
  });

  it('allow only the scraper to read the metrics', () => {
    for (const { spec } of policies) {
      for (const { from, ports } of spec.ingress)
        if (ports.some(({ port }) => port === 9_464)) expect(from).toBeDefined();
    }
    expect(policies.map(({ metadata }) => metadata.name)).toEqual(['worker', 'gateway']);
  });
});
