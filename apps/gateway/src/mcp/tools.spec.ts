import 'reflect-metadata';
import Ajv from 'ajv/dist/2020';
import { usd } from '../products/price';
import { isPaid, listedTool, TOOLS, type Tool } from './tools';

const INSTALLATION = { subscription: { price: usd('5'), days: 30 } };
const listed = (tool: Tool) => listedTool(tool, INSTALLATION);

/** Behaviour 11.2. */
const PRICES: readonly (readonly [name: string, price: string])[] = [
  ['lookup_host', 'free'],
  ['participation_check', 'free'],
  ['list_changes', 'free'],
  ['find_payable', 'free'],
  ['refresh_host', '0.02 USDC'],
  ['refresh_host_protocol', '0.005 USDC'],
  ['refresh_hosts_batch', '0.01 + 0.002 USDC for each host'],
  ['pay_preflight', '0.001 USDC'],
  ['endpoint_health', '0.001 USDC'],
  ['payto_check', '0.002 USDC'],
  ['verify_receipt', '0.001 USDC'],
];

const CHALLENGE = { error: 'payment required', x402Version: 2, accepts: [{}] };
const ajv = new Ajv({ strict: true, allowUnionTypes: true, formats: { date: true, 'date-time': true, uri: true } });

describe('the list of tools', () => {
  it('has the tools of behaviour 11.2 in its order', () => {
    expect(TOOLS.map(({ name }) => name)).toEqual(PRICES.map(([name]) => name));
  });

  it.each(PRICES)('says of %s what it costs', (name, price) => {
    const tool = TOOLS.find((candidate) => candidate.name === name)!;
    expect(listed(tool).description).toContain(`Price: ${price}`);
  });

  it('says that a POST to an endpoint may have effects there', () => {
    const { annotations, inputSchema } = listed(TOOLS.find(({ name }) => name === 'endpoint_health')!);
    expect(annotations.readOnlyHint).toBe(false);
    expect(inputSchema.properties).toMatchObject({
      method: { description: expect.stringContaining('POST') as string },
    });
  });

  it.each(TOOLS.map((tool) => [tool.name, tool] as const))('describes %s completely', (_, tool) => {
    const { title, description, annotations, inputSchema } = listed(tool);
    expect(annotations.title).toBe(title);
    for (const part of ['Price: ', 'Freshness: ', 'Failures', 'Use ']) expect(description).toContain(part);
    for (const name of inputSchema.required ?? []) expect(inputSchema.properties).toHaveProperty(name);
    expect(() => ajv.compile(inputSchema)).not.toThrow();
  });

  it.each(TOOLS.map((tool) => [tool.name, tool] as const))(
    'lets %s answer with a failure, and with a challenge when it is paid',
    (_, tool) => {
      const holds = ajv.compile(listed(tool).outputSchema);
      expect(holds({ error: 'try again in a moment', code: 'busy', retryAfterSec: 5 })).toBe(true);
      expect(holds(CHALLENGE)).toBe(isPaid(tool));
      expect(holds({})).toBe(false);
    },
  );
});
